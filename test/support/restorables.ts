import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from '../../src/database/client.js';
import { createToken } from '../../src/database/tokens.js';
import { readDocument } from '../../src/workspace/file.js';
import { importWorkspace } from '../../src/workspace/import.js';

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

/** Adds a company to a migrated database. Returns a write token that may restore each of its documents. */
export async function createRestorables(
  url: string,
  count: number,
  company = 'company',
): Promise<{ token: string; documents: Restorable[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-load-'));
  const db = openClient({ url, poolSize: 1, preparedStatements: false });
  try {
    const file = join(folder, 'workspace.json');
    await writeFile(file, JSON.stringify(workspace(count, company)));
    await importWorkspace(db, await readDocument(file), () => {});
    const { token } = await createToken(db, {
      companyId: company,
      personId: person(0),
      name: 'load',
      canWrite: true,
    });
    return { token, documents: list(count, (n) => ({ id: `document-${n}`, version: 2 })) };
  } finally {
    await db.$disconnect();
    await rm(folder, { recursive: true });
  }
}
