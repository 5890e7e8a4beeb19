import type { GraphQLError } from 'graphql';
import type { Actor } from '../../policies/access.js';
import { eventCursor } from '../eventCursor.js';
import type { Place } from './readStreams.js';

/** What a stream yields: an event, or only how far it has come, or why it may not go on. */
export type StreamItem = { cursor: string; event?: { id: string } } | { failure: GraphQLError };

interface EventStreamOptions {
  actor: Actor;
  /** The actions it wants; all if null. */
  actions: readonly string[] | null;
  /** The time in milliseconds, from any moment. */
  now: () => number;
  /** Called when the next item is asked for. */
  onWaiting: (stream: EventStream) => void;
  onEnd: (stream: EventStream) => void;
}

/** Up to an hour: those that began together do not all come back together. */
const lifetime = () => (54 + 6 * Math.random()) * 60_000;

const end = { value: undefined, done: true } as const;

/** The events that one client gets. It holds none: each is read when the client has taken the one before. */
export class EventStream implements AsyncIterableIterator<StreamItem> {
  readonly actor: Actor;
  readonly actions: readonly string[] | null;
  /** When its client has to come back. */
  readonly expiresAt: number;
  /** When it yielded its last item. */
  yieldedAt: number;
  /** What its client sends to come back. */
  #cursor = '';
  #through = 0;
  /** Whether nothing was read for it yet. */
  isNew = true;
  readonly #options: EventStreamOptions;
  #resolve: ((result: IteratorResult<StreamItem>) => void) | undefined;
  #hasBegun = false;
  #hasEnded = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.actor = options.actor;
    this.actions = options.actions;
    this.yieldedAt = options.now();
    this.expiresAt = this.yieldedAt + lifetime();
  }

  /** Whether the next item is asked for. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  /** The sequence up to which there is nothing more for it. Beyond its cursor if what followed was purged. */
  get through(): number {
    return this.#through;
  }

  /** It comes as far as this, without an event. */
  pass(through: number, cursor = this.#cursor): void {
    this.#cursor = cursor;
    this.#through = through;
  }

  next(): Promise<IteratorResult<StreamItem>> {
    if (this.#hasEnded) return Promise.resolve(end);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      // The first item says at once that it listens.
      if (!this.#hasBegun) this.yieldPosition();
      else this.#options.onWaiting(this);
    });
  }

  /** The client is gone. */
  async return(): Promise<IteratorResult<StreamItem>> {
    this.end();
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  yieldEvent({ sequence, id }: Place): void {
    this.pass(sequence, eventCursor(sequence, id));
    this.#yield({ cursor: this.#cursor, event: { id } });
  }

  yieldPosition(): void {
    this.#yield({ cursor: this.#cursor });
  }

  refuse(failure: GraphQLError): void {
    this.#yield({ failure });
    this.end();
  }

  /** The client should come back. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd(this);
    this.#resolve?.(end);
    this.#resolve = undefined;
  }

  #yield(item: StreamItem): void {
    this.#hasBegun = true;
    this.yieldedAt = this.#options.now();
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.({ value: item, done: false });
  }
}
