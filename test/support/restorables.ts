import { commandOutput, importFileOf } from './goalpost.js';

/** A document of which a client knows the current version. Version 1 and 2 differ, so it can restore one or the other. */
export interface Restorable {
  id: string;
  version: number;
}

const list = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, n) => make(n));
const person = (n: number) => `person-${n}`;

/** A company with 20 people, 50 goals and that many documents. */
const workspace = (documents: number, company: string) => ({
  company: { id: company, name: 'Load' },
  people: list(20, (n) => ({ id: person(n), full_name: `Person ${n}`, is_owner: n === 0 })),
  spaces: [{ id: 'space', name: 'Space', members: list(20, (n) => ({ person_id: person(n) })) }],
  goals: list(50, (n) => ({ id: `goal-${n}`, space_id: 'space', name: `Goal ${n}`, champion_id: person(n % 20) })),
  resource_hubs: [{ id: 'hub', name: 'Hub', space_id: 'space' }],
  documents: list(documents, (n) => ({
    id: `document-${n}`,
    resource_hub_id: 'hub',
    name: 'Title',
    content: 'Second text',
    author_id: person(0),
    state: 'published',
    published_at: '2026-01-01T09:00:00Z',
    versions: ['First text', 'Second text'].map((content, v) => ({
      version_number: v + 1,
      title: 'Title',
      content,
      editor_id: person(0),
      origin: v === 0 ? 'published' : 'edited',
    })),
  })),
});

/** Adds a company to a migrated database, by commands. Returns a write token that may restore each of its documents. */
export async function createRestorables(
  settings: Record<string, string>,
  count: number,
  company = 'company',
): Promise<{ token: string; documents: Restorable[] }> {
  await importFileOf(workspace(count, company), settings);
  const named = ['--person', person(0), '--company', company, '--name', 'load', '--write'];
  const token = await commandOutput(['token', 'create', ...named], settings);
  return { token, documents: list(count, (n) => ({ id: `document-${n}`, version: 2 })) };
}
