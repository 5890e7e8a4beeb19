import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Restorable } from '../../test/support/restorables.js';

export interface Answer {
  /** 0 if there was none. */
  status: number;
  at: number;
  milliseconds: number;
}

export interface RestorerOptions {
  /** By default each change takes REST. */
  surfaces?: readonly ('REST' | 'GraphQL')[];
  /** How long it thinks between two changes. */
  pauseMilliseconds?: number;
  /** How long it waits before it repeats a change. */
  retryMilliseconds?: number;
}

const path = '/api/external/v1/documents/restore_document_version';
const mutation =
  'mutation ($input: RestoreDocumentVersionInput!) { restoreDocumentVersion(input: $input) { document { id currentVersion } } }';

/** A client that restores one document over and over, and repeats a change with its key until it is acknowledged. */
export class Restorer {
  readonly answers: Answer[] = [];
  /** The versions whose making was acknowledged. */
  readonly versions: number[] = [];
  /** When each change was first sent, and when it was acknowledged. */
  readonly changes: { from: number; until: number }[] = [];
  readonly document: Restorable;
  readonly #bases: readonly string[];
  readonly #token: string;
  readonly #options: Required<RestorerOptions>;
  #isStopped = false;
  #sent = 0;

  /** With several gateways, each request goes to the next one. */
  constructor(bases: string | readonly string[], token: string, document: Restorable, options: RestorerOptions = {}) {
    this.document = document;
    this.#bases = [bases].flat();
    this.#token = token;
    this.#options = { surfaces: ['REST'], pauseMilliseconds: 0, retryMilliseconds: 100, ...options };
  }

  /** Until `stop` is called and the last change is acknowledged. */
  async run(): Promise<void> {
    const { pauseMilliseconds, retryMilliseconds } = this.#options;
    while (!this.#isStopped) {
      if (pauseMilliseconds > 0) await sleep(Math.random() * 2 * pauseMilliseconds);
      const request = this.#nextRequest();
      const from = performance.now();
      while ((await this.#send(request)) !== 200) await sleep(retryMilliseconds);
      this.changes.push({ from, until: performance.now() });
      this.document.version += 1;
      this.versions.push(this.document.version);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #nextRequest() {
    const { id, version } = this.document;
    const { surfaces } = this.#options;
    const isRest = surfaces[version % surfaces.length] === 'REST';
    const versionNumber = version % 2 === 0 ? 1 : 2;
    const body = isRest
      ? { document_id: id, version_number: versionNumber, expected_current_version: version }
      : { query: mutation, variables: { input: { documentId: id, versionNumber, expectedCurrentVersion: version } } };
    return { path: isRest ? path : '/graphql', key: randomUUID(), body: JSON.stringify(body) };
  }

  async #send(request: { path: string; key: string; body: string }): Promise<number> {
    const start = performance.now();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': request.key,
    };
    const base = this.#bases[this.#sent++ % this.#bases.length];
    const status = await fetch(base + request.path, { method: 'POST', headers, body: request.body }).then(
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
