import leven from 'leven';
import type { Environment } from './environment.js';
import { settings } from './settings.js';

/** Shorter variables of the environment are others' more likely than misspelled. */
const ownLength = 8;

/** Variables that are no settings, but nearly. */
export function misspelledIn({ values, fromFile }: Environment): { name: string; nearest: string }[] {
  const known = Object.keys(settings.shape);
  const candidates = Object.keys(values).filter(
    (name) => !known.includes(name) && (name.length >= ownLength || fromFile.has(name)),
  );
  return candidates.flatMap((name) => {
    const nearest = known.find((setting) => leven(name.toUpperCase(), setting) <= 2);
    return nearest ? [{ name, nearest }] : [];
  });
}
