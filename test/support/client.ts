import { noteExchange } from './exchanges.js';
import { requireDescribed } from './openapiValidator.js';
import type { Answer, Json } from './world.js';

/** Calls a gateway on both surfaces, and requires that openapi.json describes each answer. */
export class Client {
  readonly #address: string;

  constructor(address = '') {
    this.#address = address;
  }

  async base(): Promise<string> {
    return this.#address;
  }

  async fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Answer> {
    const response = await fetch(`${await this.base()}${path}`, init);
    const text = await response.text();
    const json = text && response.headers.get('content-type')?.includes('json');
    const answer = { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : { text } };
    const method = init.method ?? 'GET';
    const { body: sent } = init;
    noteExchange({ request: `${method} ${path}`, sent, status: answer.status, received: answer.body });
    requireDescribed({ method, path, ...answer });
    return answer;
  }

  post(path: string, token: string | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Accepts what shows each failure by its status. */
  graphql(token: string | null, query: string, variables: Json = {}, headers: Record<string, string> = {}) {
    return this.post(
      '/graphql',
      token,
      { query, variables },
      { accept: 'application/graphql-response+json', ...headers },
    );
  }
}
