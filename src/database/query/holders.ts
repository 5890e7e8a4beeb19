/** Something that holds slots. */
interface Holder {
  held: number;
  served: number;
}

/** Who holds fewest of those who may be next; the one that was served longest ago where they are equal. */
export function leastHeld<H extends Holder>(holders: Iterable<H>, isNext: (holder: H) => boolean): H | undefined {
  let least: H | undefined;
  for (const holder of holders) if ((!least || isBefore(holder, least)) && isNext(holder)) least = holder;
  return least;
}

const isBefore = (one: Holder, other: Holder) =>
  one.held < other.held || (one.held === other.held && one.served < other.served);

/** The item with the highest count; the first of those where they are equal. */
export function mostOf<T>(items: Iterable<T>, countOf: (item: T) => number): T | undefined {
  let longest: T | undefined;
  for (const item of items) if (!longest || countOf(item) > countOf(longest)) longest = item;
  return longest;
}
