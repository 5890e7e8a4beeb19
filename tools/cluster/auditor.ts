import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Restorable } from '../../test/support/restorables.js';

export interface Observation {
  kind: 'write' | 'read';
  /** 0 if there was no answer. */
  status: number;
  at: number;
  milliseconds: number;
}

const restorePath = '/api/external/v1/documents/restore_document_version';
const pauseMilliseconds = 20;
const retryMilliseconds = 100;

/** A client that changes a document, and asks what its current version is as soon as the change is acknowledged. */
export class Auditor {
  readonly observations: Observation[] = [];
  /** The versions whose making was acknowledged. */
  readonly acknowledged: number[] = [];
  /** Answers that are older than what was acknowledged before they were asked for. */
  readonly stale: string[] = [];
  readonly document: Restorable;
  readonly #base: string;
  readonly #token: string;
  #isStopped = false;

  constructor(base: string, token: string, document: Restorable) {
    this.document = document;
    this.#base = base;
    this.#token = token;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#write();
      await this.#read();
      await sleep(pauseMilliseconds);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Repeats a change with its key until it is acknowledged. */
  async #write(): Promise<void> {
    const { id, version } = this.document;
    const key = randomUUID();
    const body = {
      document_id: id,
      version_number: version % 2 === 0 ? 1 : 2,
      expected_current_version: version,
    };
    while ((await this.#send('write', restorePath, body, { 'idempotency-key': key })).status !== 200)
      await sleep(retryMilliseconds);
    this.document.version += 1;
    this.acknowledged.push(this.document.version);
  }

  async #read(): Promise<void> {
    const { id, version } = this.document;
    const query = `{ resourceHubDocument(id: "${id}") { currentVersion } }`;
    const { status, body } = await this.#send('read', '/graphql', { query });
    if (status !== 200) return;
    const seen = body?.data?.resourceHubDocument?.currentVersion;
    if (seen !== version)
      this.stale.push(`${id}: version ${version} was acknowledged, then this was read: ${JSON.stringify(body)}`);
  }

  async #send(kind: Observation['kind'], path: string, content: object, own: Record<string, string> = {}) {
    const start = performance.now();
    const accept = 'application/graphql-response+json, application/json';
    const headers = { accept, 'content-type': 'application/json', authorization: `Bearer ${this.#token}`, ...own };
    const answer = await fetch(this.#base + path, { method: 'POST', headers, body: JSON.stringify(content) }).then(
      async (response) => {
        const text = await response.text();
        // HAProxy answers with a page if no gateway is ready.
        const body = text.startsWith('{') ? JSON.parse(text) : undefined;
        // A GraphQL field that may be null fails with 200.
        const isRefused = body?.errors?.[0]?.extensions?.code === 'SERVICE_UNAVAILABLE';
        return { status: isRefused ? 503 : response.status, body };
      },
      () => ({ status: 0, body: undefined }),
    );
    const at = performance.now();
    this.observations.push({ kind, status: answer.status, at, milliseconds: at - start });
    return answer;
  }
}
