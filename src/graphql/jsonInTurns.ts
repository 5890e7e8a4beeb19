import { setImmediate } from 'node:timers/promises';

/** About how many characters are written before other requests have a turn. */
const charactersInATurn = 250_000;

/** A long response as JSON, in UTF-8. Other requests have their turn while it is written. */
export async function jsonInTurns(response: object): Promise<Uint8Array> {
  const written: Uint8Array[] = [];
  let text = '';
  for (const piece of piecesOf(response)) {
    text += piece;
    if (text.length < charactersInATurn) continue;
    written.push(Buffer.from(text));
    text = '';
    await setImmediate();
  }
  return Buffer.concat([...written, Buffer.from(text)]);
}

/** An object member by member, a list some items at a time. */
function* piecesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) return yield* piecesOfList(value);
  if (typeof value !== 'object' || value === null) return yield JSON.stringify(value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* piecesOf(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* piecesOfList(list: unknown[]): Generator<string> {
  let size = 1;
  let before = '[';
  for (let from = 0; from < list.length; ) {
    const items = JSON.stringify(list.slice(from, from + size)).slice(1, -1);
    yield before + items;
    before = ',';
    from += size;
    // As many as before have shown to fit.
    size = Math.max(1, Math.floor((size * charactersInATurn) / 4 / items.length));
  }
  yield before === '[' ? '[]' : ']';
}
