import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../faults/restorer.js';

const query = '{ goals(first: 20) { nodes { id name status champion { id fullName } } } }';

/** A client that reads the goals of its company, through one gateway after the other. */
export class CompanyReader {
  readonly answers: Answer[] = [];
  readonly #bases: readonly string[];
  readonly #token: string;
  #isStopped = false;

  constructor(bases: readonly string[], token: string) {
    this.#bases = bases;
    this.#token = token;
  }

  async run(pauseMilliseconds: number): Promise<void> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` };
    for (let turn = 0; !this.#isStopped; turn += 1) {
      await sleep(Math.random() * 2 * pauseMilliseconds);
      const start = performance.now();
      const base = this.#bases[turn % this.#bases.length];
      const status = await fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) }).then(
        async (response) => {
          const text = await response.text();
          return response.ok && text.includes('"errors":') ? 500 : response.status;
        },
        () => 0,
      );
      const at = performance.now();
      this.answers.push({ status, at, milliseconds: at - start });
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
