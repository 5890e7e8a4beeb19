import { describe, expect, test } from 'vitest';
import { ImportError } from '../../../src/workspace/report.js';
import { blocksOf, textOf } from '../../support/documents.js';
import { importDocument } from '../../support/importDocument.js';
import { createWorld } from '../../support/world.js';

const page = textOf('docs/import-format.md');
const guide = textOf('docs/importing.md');

const { db } = await createWorld({ isAlone: true });

describe('an example of docs/import-format.md', () => {
  const examples = blocksOf(page, 'json').map((text) => JSON.parse(text));

  test.each(examples)('is a workspace', async (example) => {
    const name = example.company.name;
    const company = { ...example.company, id: `example ${examples.indexOf(example)}` };
    expect(name).toBe('Acme');
    expect(await importDocument(db, { ...example, company })).toMatchObject({ companies: 1 });
  });

  test('with a few mistakes has the problems that the page shows', async () => {
    const [workspace] = structuredClone(examples);
    workspace.people[1] = { id: 'ben', full_name: 'Ben Example', fullname: 'Ben' };
    workspace.documents[0].versions[1].version_number = 3;
    workspace.goals[0].name = '';
    const [shown = ''] = blocksOf(guide, 'text');
    const refusal = await importDocument(db, workspace).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ImportError);
    expect(`goalpost: ${(refusal as ImportError).message}`).toBe(shown.trim());
  });
});
