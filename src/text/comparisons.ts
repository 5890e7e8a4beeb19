import type { Budget } from '../platform/texts/index.js';
import { type Change, type Difference, replaced } from './difference.js';
import { cutPageOf, type Excerpt, excerptOf, type TextPage } from './excerpts.js';
import type { TextPair, textFunctions } from './functions.js';

type Functions = typeof textFunctions;
type Arguments<Name extends keyof Functions> = Functions[Name] extends (_: number, ...args: infer Args) => unknown
  ? Args
  : never;

/** Runs a function in the thread for texts; undefined if it exceeds what the request may use of it. */
export type CallThread = (budget: Budget, name: string, args: unknown[]) => Promise<unknown>;

/** The texts that one request reads and compares, each pair once, whatever the aliases. */
export class Comparisons {
  readonly #differences = new Map<string, Map<string, Promise<Difference>>>();

  constructor(
    private readonly callThread: CallThread,
    private readonly budget: Budget,
  ) {}

  /** The difference of two texts; of the whole texts as they are stored if finding it would take too long. */
  difference(pair: TextPair): Promise<Difference> {
    const { before, after, isContent } = pair;
    const key = `${isContent}${after}`;
    const others = this.#differences.get(before) ?? new Map<string, Promise<Difference>>();
    this.#differences.set(before, others);
    const known = others.get(key) ?? this.#call('difference', pair).then((found) => found ?? replaced(before, after));
    others.set(key, known);
    return known;
  }

  /** The difference with at most so many words around each change. */
  async around(pair: TextPair, words: number): Promise<Change[]> {
    const { changes } = await this.difference(pair);
    return (await this.#call('around', changes, words)) ?? changes;
  }

  /** The beginning of that, as much as weighs no more than this. */
  async excerpt(pair: TextPair, words: number, weight: number): Promise<Excerpt> {
    const { changes } = await this.difference(pair);
    return (await this.#call('excerpt', changes, words, weight)) ?? excerptOf(changes, weight);
  }

  /** A page of a text as people read it, or as it is stored if reading it would take too long. */
  async pageOf(text: string, number: number): Promise<TextPage> {
    return (await this.#call('page', text, number)) ?? cutPageOf(text, number);
  }

  /** Whether two texts differ in what people do not read: their formatting. */
  async areSame(before: string, after: string): Promise<boolean> {
    const { changes } = await this.difference({ before, after, isContent: true });
    return changes.every(({ kind }) => kind === 'unchanged');
  }

  #call<Name extends keyof Functions>(name: Name, ...args: Arguments<Name>) {
    return this.callThread(this.budget, name, args) as Promise<ReturnType<Functions[Name]> | undefined>;
  }
}
