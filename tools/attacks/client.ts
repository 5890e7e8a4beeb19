import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Target } from './attack.js';

const graphql = '/graphql';
/** How long an attacker that was refused waits before it tries again. */
const pause = 100;

interface Sent {
  path?: string;
  token?: string | undefined;
  /** GET without one. */
  body?: string;
  headers?: Record<string, string>;
}

/** Sends requests of one caller over as many connections as it likes, and reads all responses. */
export class AttackClient {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target, connections: number) {
    this.#target = target;
    this.#agent = new Agent({ connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  }

  /** Returns the status, or 0 if there was no response. */
  async send({ path = graphql, token, body, headers = {} }: Sent): Promise<number> {
    try {
      const response = await request(this.#target.base + path, {
        dispatcher: this.#agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...headers,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body ?? null,
      });
      for await (const _piece of response.body);
      this.#target.count(response.statusCode);
      return response.statusCode;
    } catch {
      if (!this.#target.isOver()) this.#target.count('no response');
      return 0;
    }
  }

  /** Sends one request after the other on each connection until it is over, and pauses only after a refusal. */
  async flood(connections: number, next: (number: number) => Sent, paused = pause): Promise<void> {
    let sent = 0;
    const one = async () => {
      while (!this.#target.isOver()) {
        const status = await this.send(next(sent++));
        if (status !== 200 && paused > 0) await sleep(paused);
      }
    };
    await Promise.all(Array.from({ length: connections }, one));
    await this.#agent.destroy();
  }
}

/** Floods the target on so many connections. */
export const flood = (target: Target, connections: number, next: (number: number) => Sent, paused?: number) =>
  new AttackClient(target, connections).flood(connections, next, paused);

export const graphqlBody = (query: string) => JSON.stringify({ query });

/** The same selection under many aliases. */
export const aliased = (count: number, selection: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');
