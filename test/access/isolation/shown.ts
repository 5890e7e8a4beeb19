import type { Json, World } from '../../support/world.js';
import type { Caller } from './callers.js';
import type { Facts } from './crawl.js';
import type { Ladder } from './ladder.js';
import { fields, type Row, texts } from './policy.js';

interface Link {
  source: string;
  target: string;
  person?: string;
  /** The record that decides, if that is not the target. */
  decider?: string;
}

/** What links exist, by the row of the policy; a source is an id. */
export class Links {
  private constructor(private readonly byField: Map<string, Map<string, Link[]>>) {}

  static async read(world: World, rows: Record<string, { links?: string }>): Promise<Links> {
    const byField = new Map<string, Map<string, Link[]>>();
    for (const [field, { links }] of Object.entries(rows)) {
      const found: Link[] = links ? await world.sql(`SELECT * FROM (${links}) l WHERE target IS NOT NULL`) : [];
      const bySource = new Map<string, Link[]>();
      for (const link of found) bySource.set(link.source, [...(bySource.get(link.source) ?? []), link]);
      byField.set(field, bySource);
    }
    return new Links(byField);
  }

  of(field: string, source: string): Link[] {
    return this.byField.get(field)?.get(source) ?? [];
  }
}

const ids = (links: Link[]) => links.map(({ target }) => target);

/** The ids that a field of a record shows to a caller; undefined if the policy leaves them to other tests. */
function shownTo(ladder: Ladder, person: string, row: Row, links: Link[], source: string, asOwner?: Set<string>) {
  if (row.shown === 'if seen') return ids(links.filter(({ target, decider = target }) => ladder.sees(person, decider)));
  if (row.shown === 'to editors') return ladder.levelOf(person, source) >= 70 ? ids(links) : [];
  if (row.shown === 'as own') return ids(links.filter((link) => link.person === person));
  return row.shown === 'as part' && asOwner ? [...asOwner] : undefined;
}

/** Compares what the fields showed to a caller with the policy, field by field. */
export function wrongFacts(ladder: Ladder, links: Links, caller: Caller, facts: Facts, asOwner: Facts): string[] {
  return [...facts].flatMap(([key, shown]) => {
    const [source = '', field = ''] = key.split(' ');
    const row = fields[field];
    if (!row || !caller.person) return [];
    const wanted = shownTo(ladder, caller.person, row, links.of(field, source), source, asOwner.get(key));
    if (!wanted) return [];
    const [missing, extra] = [wanted.filter((id) => !shown.has(id)), [...shown].filter((id) => !wanted.includes(id))];
    if (missing.length + extra.length === 0) return [];
    return [`${caller.name}: ${field} of ${source} lacks [${missing}] and shows [${extra}]`];
  });
}

/** Whether the caller may know a record at all, wherever it appears; deleted files are listed for editors. */
export function mayKnow(ladder: Ladder, { person }: Caller, id: string): boolean {
  if (!person || !ladder.has(id)) return person !== null;
  return ladder.isDeleted(id) ? ladder.levelOf(person, id) >= 70 : ladder.sees(person, id);
}

/** The texts that a record has and does not show. */
export const withheldTexts = (links: Links, record: Json): string[] =>
  Object.keys(texts).filter((field) => {
    const [type, key = ''] = field.split('.');
    return record.__typename === type && record[key] === null && links.of(field, record.id).length > 0;
  });

/** The texts of a record that are shown and should not be, or the other way round. */
export function wrongTexts(ladder: Ladder, links: Links, { name, person }: Caller, record: Json): string[] {
  return Object.entries(texts).flatMap(([field, { level }]) => {
    const [type, key = ''] = field.split('.');
    if (record.__typename !== type || record[key] === undefined) return [];
    const [link] = links.of(field, record.id);
    const may = link && ladder.sees(person ?? '', link.target) && ladder.levelOf(person ?? '', link.target) >= level;
    if (Boolean(may) === (record[key] !== null)) return [];
    return [`${name}: ${field} of ${record.id} is ${JSON.stringify(record[key])}`];
  });
}
