import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { createToken } from '../../../src/tokens.js';
import { blocksOf, pathOf, textOf } from '../../support/documents.js';
import { goalpost } from '../../support/goalpost.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { temporaryDatabase, temporaryFolder } from '../../support/temporary.js';
import { restPaths, World } from '../../support/world.js';

const document = textOf('docs/importing.md');
const [example = ''] = blocksOf(textOf('docs/import-format.md'), 'json');
const [script = ''] = blocksOf(document, 'sql');
const demo = 'company-harborlight';

/** Runs the script as `psql --single-transaction --set company=…` does, and returns how many companies it removed. */
async function removeCompany(url: string, company: string): Promise<number | null> {
  const [before = '', after = ''] = script.replaceAll(":'company'", pg.escapeLiteral(company)).split('\\gexec\n');
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('BEGIN');
    const results = (await client.query(before)) as unknown as pg.QueryResult[];
    const { rowCount } = await client.query(String(Object.values(results.at(-1)?.rows[0])[0]));
    await client.query(`${after}COMMIT`);
    return rowCount;
  } finally {
    await client.end();
  }
}

test('docs/importing.md removes a company that was imported, also after changes, and leaves the others alone', async () => {
  const { url, gatewayUrl } = await temporaryDatabase();
  const folder = await temporaryFolder();
  const world = new World(openModels({ url: gatewayUrl, poolSize: 4, preparedStatements }), gatewayUrl);
  onTestFinished(() => world.close());
  await writeFile(join(folder, 'acme.json'), example);
  const importing = (file: string) => goalpost(['import', file], { DATABASE_URL: url });
  const imported = await importing(pathOf('prisma/demo-workspace.json'));
  expect(imported.code).toBe(0);
  expect((await importing(join(folder, 'acme.json'))).code).toBe(0);
  const writer = { companyId: demo, personId: 'person-tomas-okafor', name: 'CI', canWrite: true, expiresAt: null };
  const { token } = await createToken(world.db, writer);
  const restore = { document_id: 'doc-launch-plan', version_number: 2, expected_current_version: 5 };
  const restored = await world.post(restPaths.restoreDocumentVersion, token, restore, { 'idempotency-key': 'once' });
  expect(restored.status).toBe(200);
  expect((await world.post(restPaths.deleteResourceHubFile, token, { file_id: 'file-home-screen' })).status).toBe(200);

  const tables = (
    await world.sql(`SELECT table_name FROM information_schema.columns JOIN information_schema.tables
      USING (table_schema, table_name) WHERE table_schema = 'public' AND column_name = 'company_id' AND table_type = 'BASE TABLE'`)
  ).map(({ table_name }) => String(table_name));
  const rowsOf = async (company: string) => {
    const entries = tables.map(async (table) => [
      table,
      await world.sql(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE company_id = $1 ORDER BY to_jsonb(t)::text`, [
        company,
      ]),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, unknown[]>;
  };
  const others = await rowsOf('acme');
  const filled = Object.values(await rowsOf(demo)).filter((rows) => rows.length > 0);
  expect(filled.length).toBeGreaterThan(20);

  expect(await removeCompany(url, 'nobody')).toBe(0);
  expect(await removeCompany(url, demo)).toBe(1);
  expect(Object.values(await rowsOf(demo)).flat()).toEqual([]);
  expect(await rowsOf('acme')).toEqual(others);
  expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(401);
  await expect(world.sql('DELETE FROM document_versions')).rejects.toThrow('append-only');
  expect(await importing(pathOf('prisma/demo-workspace.json'))).toEqual({ ...imported, stderr: expect.any(String) });
});
