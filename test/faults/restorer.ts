import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Restorable } from '../support/restorables.js';

interface Answer {
  /** 0 if there was none. */
  status: number;
  at: number;
  milliseconds: number;
}

const path = '/api/external/v1/documents/restore_document_version';

/** A client that restores one document over and over, and repeats a change with its key until it is acknowledged. */
export class Restorer {
  readonly answers: Answer[] = [];
  /** The versions whose making was acknowledged. */
  readonly versions: number[] = [];
  readonly document: Restorable;
  readonly #url: string;
  readonly #token: string;
  #isStopped = false;

  constructor(base: string, token: string, document: Restorable) {
    this.document = document;
    this.#url = base + path;
    this.#token = token;
  }

  /** Until `stop` is called and the last change is acknowledged. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const { version } = this.document;
      const key = randomUUID();
      const body = JSON.stringify({
        document_id: this.document.id,
        version_number: version % 2 === 0 ? 1 : 2,
        expected_current_version: version,
      });
      while ((await this.#send(key, body)) !== 200) await sleep(100);
      this.document.version += 1;
      this.versions.push(this.document.version);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(key: string, body: string): Promise<number> {
    const start = performance.now();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': key,
    };
    const status = await fetch(this.#url, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    const at = performance.now();
    this.answers.push({ status, at, milliseconds: at - start });
    return status;
  }
}
