import { getHeapStatistics } from 'node:v8';

const mostNames = 2000;
/** The part of the heap that the texts may fill, at a byte for each character. */
const share = 1 / 64;

/**
 * Names each SQL text, so that a connection prepares it only once. Beyond the limit in number or in characters, new texts
 * stay unnamed: callers choose what is selected, and the names are kept until `renew`, when a migration has made them
 * useless.
 */
export function statementNames(most = mostNames, characters = getHeapStatistics().heap_size_limit * share) {
  const names = new Map<string, string>();
  let generation = 0;
  let room = characters;
  const renew = () => {
    names.clear();
    generation += 1;
    room = characters;
  };
  const nameOf = ({ sql }: { sql: string }) => {
    const existing = names.get(sql);
    if (existing) return existing;
    if (names.size >= most || sql.length > room) return '';
    room -= sql.length;
    const name = `gp${generation}_${names.size}`;
    names.set(sql, name);
    return name;
  };
  return { nameOf, renew };
}
