import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * For one connection. PostgreSQL needs up to 400 bytes of memory for each character, so at most about 120 MB for all. REST
 * and a query for everything of a goal and its parents take a fifth of the characters.
 */
const mostStatements = 300;
const mostCharacters = 300_000;
/** How many texts are remembered, by their hashes, to know those that are used again. */
const mostSeen = 10_000;
const renewalMilliseconds = 3_600_000;

/**
 * Names each SQL text from its second use on, so that a connection prepares it only once. Callers choose what is selected:
 * beyond the limit in number or in characters, new texts stay unnamed. A name is never given to another text, because the
 * connections keep what they have prepared. Instead, when the limit is reached and the names are an hour old, they start
 * anew with the texts in use; `onRenewed` then has to replace the connections. Decisions: "Staying up".
 */
export function statementNames(onRenewed: () => void, most = mostStatements, characters = mostCharacters) {
  const names = new Map<string, string>();
  const seen = new LRUCache<string, true>({ max: mostSeen });
  let generation = 0;
  let room = characters;
  let renewedAt = performance.now();
  /** Also when a migration has made all of them useless. */
  const renew = () => {
    names.clear();
    generation += 1;
    room = characters;
    renewedAt = performance.now();
  };
  const wasSeen = (sql: string) => {
    const hash = createHash('sha256').update(sql).digest('base64');
    const isKnown = seen.has(hash);
    seen.set(hash, true);
    return isKnown;
  };
  const nameOf = (sql: string) => {
    const existing = names.get(sql);
    if (existing) return existing;
    const isFull = names.size >= most || sql.length > room;
    if ((isFull && performance.now() - renewedAt < renewalMilliseconds) || sql.length > characters) return '';
    if (!wasSeen(sql)) return '';
    if (isFull) {
      renew();
      onRenewed();
    }
    room -= sql.length;
    const name = `gp${generation}_${names.size}`;
    names.set(sql, name);
    return name;
  };
  return { nameOf, renew };
}
