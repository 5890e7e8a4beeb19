import { tooLong } from '../../errors/failures.js';

/** What each item of a list counts, besides the names of its fields: it takes time and memory, however short it is. */
const itemLength = 600;
/** Shorter texts are not counted, which would cost more time than it is worth. */
const longTextLength = 1_000;
/** From how many characters on a response is long, and waits for its turn. */
const longResponse = 1_000_000;

interface Limits {
  /** The most characters in the response. */
  responseCharacters: number;
  /** Waits until the response may become long. Omitted if it may at once. */
  becomeLong?: () => Promise<void>;
}

/** What the response to one operation has become so far. Each count returns what has to be waited for before going on. */
export class ResponseBudget {
  readonly #limits: Limits;
  #characters = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts the items of a list, for each of which the names of its fields take so many characters. */
  countItems(items: number, names: number): Promise<void> | undefined {
    return this.#count(items * (itemLength + names));
  }

  countText({ length }: string): Promise<void> | undefined {
    return length > longTextLength ? this.#count(length) : undefined;
  }

  /** Throws 400 if the response has no room, also if a field that waited as long has taken the rest. */
  #count(characters: number): Promise<void> | undefined {
    this.#characters += characters;
    this.#check();
    const { becomeLong } = this.#limits;
    return becomeLong && this.#characters > longResponse ? becomeLong().then(() => this.#check()) : undefined;
  }

  #check(): void {
    const { responseCharacters } = this.#limits;
    if (this.#characters > responseCharacters) throw tooLong(responseCharacters);
  }
}
