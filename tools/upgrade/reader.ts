import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../consistency/system.js';

const queries = [
  '{ goals(first: 20) { nodes { id name description isClosed champion { fullName } activities(first: 5) { nodes { id } } } } }',
  '{ resourceHubs(first: 5) { nodes { id name nodes(first: 20) { nodes { __typename } } } } }',
  '{ viewer { person { id fullName } token { id name } } }',
];

/** A client that reads through every gateway in turn. A query that fails in part has the status 500. */
export class Reader {
  readonly answers: { status: number; text: string }[] = [];
  readonly #system: Pick<System, 'gateways' | 'issueToken'>;
  readonly #personId: string;

  constructor(system: Pick<System, 'gateways' | 'issueToken'>, personId: string) {
    this.#system = system;
    this.#personId = personId;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { token } = await this.#system.issueToken(this.#personId);
    for (let turn = 0; !isOver(); turn += 1) {
      const bases = this.#system.gateways.flatMap(({ base }) => base ?? []);
      const base = bases[turn % bases.length];
      if (base) this.answers.push(await this.#read(base, token, queries[turn % queries.length] ?? ''));
      await sleep(20);
    }
  }

  async #read(base: string, token: string, query: string): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    try {
      const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      const text = await response.text();
      return { status: text.includes('"errors":') && response.ok ? 500 : response.status, text };
    } catch (error) {
      return { status: 0, text: `${error}` };
    }
  }
}
