import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createEmptyDatabase } from '../../support/database.js';
import { blocksOf, documents, pathOf, sectionOf, textOf } from '../../support/documents.js';
import { pasteInto } from '../../support/pasteInto.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';
import {
  listening,
  temporaryDatabase,
  temporaryEmptyDatabase,
  temporaryFolder,
  temporaryServer,
} from '../../support/temporary.js';
import type { Json } from '../../support/world.js';

/**
 * Commands that a test cannot run as they are: they install the product itself, need programs that are not here, or
 * measure for longer than a test may take. `package`, `roles`, `import` and `tools/container/run.ts` try what the first of them do.
 */
const notRun = [
  'npm install --ignore-scripts ./goalpost-*.tgz\nnpx goalpost',
  `docker build --tag goalpost .
docker run --read-only --publish 127.0.0.1:4000:4000 --env DATABASE_URL=postgresql://goalpost_gateway:password@host:5432/goalpost goalpost
docker run --read-only --env DATABASE_URL=postgresql://goalpost_owner:password@host:5432/goalpost goalpost migrate`,
  `for name in ADMIN OWNER GATEWAY; do echo "\${name}_PASSWORD=$(openssl rand -hex 24)"; done >> .env
docker compose up --build --detach
docker compose run --rm --no-TTY gateway import - < workspace.json
docker compose run --rm gateway token create --person ann --name CI --write`,
  `psql "$DATABASE_URL" --set ON_ERROR_STOP=on --single-transaction --set company=acme --file remove-company.sql`,
  'npm ci && npm start',
  'npm test',
  'npx tsx bench/commands.ts 1000 10000',
  'npm run bench -- --growth --write',
  'mkdir tracing && cd tracing && npm init --yes && npm install @opentelemetry/sdk-node',
];

const scriptsOf = (file: string, heading: string) =>
  blocksOf(sectionOf(textOf(file), heading), 'sh').filter((script) => !notRun.includes(script.trim()));

const call = [...scriptsOf('README.md', 'Make a call'), ...scriptsOf('docs/quickstart.md', 'More calls')];
const rest = ['Reopen a goal', 'Delete a file', 'Recover a file', 'Restore a document version'];
const [restSetUp = '', ...restCalls] = scriptsOf('docs/rest.md', 'REST').slice(0, 1 + rest.length);
const reads = scriptsOf('docs/rest.md', 'Finding ids');
/** `documentsClients.test.ts` runs them. */
const clients = scriptsOf('docs/clients.md', 'Clients');
const ownDatabase = scriptsOf('docs/install.md', 'Your own PostgreSQL');
const purging = scriptsOf('docs/database.md', 'Deleted files');
const tokens = scriptsOf('docs/install.md', 'Tokens');
/** They end only when they are stopped; `test/events/stream.test.ts` opens such streams. */
const streams = scriptsOf('docs/events.md', 'Live stream');
/** `test/proofs/faults/backups.test.ts` runs them. */
const backups = scriptsOf('docs/database.md', 'Backups');
/** `test/proofs/faults/frontProxies.test.ts` runs it. */
const deploying = scriptsOf('docs/deploying.md', 'Rolling restarts');
const retrying = scriptsOf('docs/errors.md', 'Retries');
const certificate = scriptsOf('docs/deploying.md', 'Certificate');
const service = blocksOf(textOf('docs/deploying.md'), 'sh').filter((script) => script.includes('/etc/goalpost.env'));
const agents = [...scriptsOf('docs/agents.md', 'Connect one'), ...scriptsOf('docs/agents.md', 'A run')];
const importing = scriptsOf('docs/importing.md', 'Importing data');
const twoDatabases = scriptsOf('docs/integrating.md', 'Two databases');
const roles = scriptsOf('docs/install.md', 'Roles');
const oneDatabase = scriptsOf('docs/integrating.md', 'One database');

test('every command of the documents is run here', () => {
  const all = documents.flatMap((file) => blocksOf(textOf(file), 'sh').map((script) => script.trim()));
  const here = [
    ...call,
    restSetUp,
    ...restCalls,
    ...reads,
    ...clients,
    ...streams,
    ...ownDatabase,
    ...purging,
    ...tokens,
    ...roles,
    ...agents,
    ...importing,
    ...twoDatabases,
    ...oneDatabase,
    ...backups,
    ...deploying,
    ...certificate,
    ...service,
    ...retrying,
  ].map((script) => script.trim());
  expect(all.sort()).toEqual([...here, ...notRun].sort());
});

const folder = await temporaryFolder();

const paste = (script: string, replaced: Record<string, string> = {}) => pasteInto(folder, script, replaced);

test('the certificate of docs/deploying.md is one that its curl line trusts', async () => {
  const [make = '', ask = ''] = certificate;
  await paste(make, { '/etc/ssl/': './' });
  const file = (name: string) => readFile(join(folder, name), 'utf8');
  expect(await file('goalpost.pem')).toBe((await file('goalpost.crt')) + (await file('goalpost.key')));
  const proxy = createServer(
    { cert: await file('goalpost.crt'), key: await file('goalpost.key') },
    (_request, response) => response.end('ready'),
  );
  const port = await listening(proxy);
  const here = { '/etc/ssl/': './', ':443:': `:${port}:`, 'com/readyz': `com:${port}/readyz` };
  expect(await paste(ask, here)).toBe('ready');
});

test('the shell function of docs/errors.md repeats a change with one key, and prints the last response alone', async () => {
  const keys: unknown[] = [];
  const answers: [number, string][] = [
    [503, '{"code":"SERVICE_UNAVAILABLE"}'],
    [409, '{"code":"IDEMPOTENCY_KEY_IN_USE"}'],
    [200, '{"goal":null}'],
    [409, '{"code":"GOAL_ARCHIVED"}'],
  ];
  const failing = createPlainServer((request, response) => {
    request.resume();
    const [status, body] = answers[keys.length] ?? [500, ''];
    keys.push(request.headers['idempotency-key']);
    response.writeHead(status).end(body);
  });
  const here = { 'http://127.0.0.1:4000': `http://127.0.0.1:${await listening(failing)}` };
  const script = `TOKEN=any\n${retrying.join('\n')}\nchange reopen_goal '{}'\necho\nchange reopen_goal '{}' || echo " refused"`;
  expect(await paste(script, here)).toBe('{"goal":null}\n{"code":"GOAL_ARCHIVED"} refused\n');
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 0, 3]);
});

describe('on the demo', async () => {
  const server = await temporaryServer({ DATA_DIR: join(folder, '.data') });

  const jsonIn = (file: string, heading: string) =>
    blocksOf(sectionOf(textOf(file), heading), 'json').map((text) => JSON.parse(text));
  const curlWithStatus = `curl() { command curl -w '\\n%{http_code}\\n' "$@"; }\n`;
  const here = () => ({ 'http://127.0.0.1:4000': server.base });

  /** What the curl commands of a script answer. */
  async function answersTo(script: string): Promise<{ status: number; body: Json }[]> {
    const lines = (await paste(curlWithStatus + script, here())).trim().split('\n');
    const bodies = lines.filter((_, index) => index % 2 === 0);
    return bodies.map((body, index) => ({ status: Number(lines[index * 2 + 1]), body: JSON.parse(body) }));
  }

  test('what the README, the quick start and the pages about calls show works in the order it stands, and answers as shown', async () => {
    const shown = [...jsonIn('README.md', 'Make a call'), ...jsonIn('docs/quickstart.md', 'More calls')];
    const answers = await answersTo(call.join('\n'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
    expect(answers[0]?.body).toMatchObject(shown[0]);
    expect(answers[1]?.body).toMatchObject(shown[1]);

    const { write } = JSON.parse(await readFile(join(folder, '.data/demo-tokens.json'), 'utf8'));
    const ask = async (query: string, variables: Json = {}, headers: Record<string, string> = {}): Promise<Json> => {
      const response = await fetch(`${server.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${write}`, ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    };
    const [undo = ''] = [...(call.join('\n').match(/"query":"(.*?)"\}'/) ?? [])].slice(1);
    const [cost] = jsonIn('docs/graphql.md', 'Query limits');
    expect(await ask(JSON.parse(`"${undo}"`), {}, { 'GraphQL-Cost': 'report' })).toMatchObject(cost);

    const [list = ''] = blocksOf(sectionOf(textOf('docs/graphql.md'), 'Lists'), 'graphql');
    expect((await ask(list)).data.goals.nodes).not.toEqual([]);
    const [preview = ''] = blocksOf(sectionOf(textOf('docs/graphql.md'), 'Previews'), 'graphql');
    expect((await ask(preview, { id: 'doc-launch-plan' })).data.previewRestoreDocumentVersion).toMatchObject({
      wouldChange: true,
      expectedCurrentVersion: 7,
    });

    const [conflict] = jsonIn('docs/errors.md', 'Errors');
    const again = call[0] ?? '';
    expect(await answersTo(again)).toEqual([answers[0]]);
    const [answer] = await answersTo(again.replace('Idempotency-Key: ', 'Idempotency-Key: another-'));
    const { request_id, current_version_inserted_at } = conflict;
    expect(answer).toEqual({ status: 409, body: expect.anything() });
    expect({ ...answer?.body, request_id, current_version_inserted_at }).toEqual(conflict);
  });

  test('the reads of the quick start and docs/rest.md find the ids and version numbers that REST takes', async () => {
    const [token] = call[0]?.split('\n') ?? [];
    const [goals, files, document] = (await answersTo(`${token}\n${call.at(-1)}`)).map(({ body }) => body.data);
    expect(goals.goals.nodes.map(({ id }: Json) => id)).toContain('goal-website-refresh');
    expect(files.resourceHub.nodes.nodes).toEqual([
      { __typename: 'ResourceHubFile', id: 'file-spring-catalog', name: 'Spring catalog' },
    ]);
    expect(document.resourceHubDocument.versions.nodes.at(-1)).toMatchObject({ versionNumber: 1 });

    const answers = await answersTo([restSetUp, ...reads].join('\n'));
    expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([1, 2, 3].map(() => [200, undefined]));
    const [closed, hubs, versions] = answers.map(({ body }) => body.data);
    expect(closed.goals.nodes.map(({ id }: Json) => id)).toContain('goal-website-refresh');
    expect(JSON.stringify(hubs)).toContain('file-spring-catalog');
    const { currentVersion, versions: list } = versions.resourceHubDocument;
    expect(list.nodes.map(({ versionNumber }: Json) => versionNumber)[0]).toBe(currentVersion);
    expect(JSON.stringify(list.nodes.slice(1))).toMatch(/"kind":"(ADDED|REMOVED)"/);
  });

  test('after them, each operation of docs/rest.md answers as shown, also to a retry', async () => {
    const shown = rest.flatMap((heading) => jsonIn('docs/rest.md', heading));
    expect(shown).toHaveLength(rest.length);
    for (const _attempt of ['first', 'retry']) {
      const answers = await answersTo([restSetUp, ...restCalls].join('\n'));
      expect(answers).toMatchObject(shown.map((body) => ({ status: 200, body })));
    }
  });
});

test('the run of docs/agents.md works in its order, and answers as shown', async () => {
  const own = await temporaryFolder();
  const server = await temporaryServer({ DATA_DIR: join(own, '.data') });
  const here = { 'http://127.0.0.1:4000': server.base };
  const { write } = JSON.parse(await readFile(join(own, '.data/demo-tokens.json'), 'utf8'));
  const plan = async () => {
    const { body } = await server.client.graphql(
      write,
      '{ resourceHubDocument(id: "doc-launch-plan") { name content } }',
    );
    return body.data.resourceHubDocument;
  };
  const planBefore = await plan();
  const run = agents.map((script) => (/^tool restore/m.test(script) ? `${script}\n${script}` : script)).join('\n');
  const lines = (await pasteInto(own, run, here)).trim().split('\n');
  const results = lines.slice(0, 5).map((line) => JSON.parse(line));
  // The document has other changes too.
  results[4].activities.nodes.length = 1;
  const section = sectionOf(textOf('docs/agents.md'), 'A run');
  const [found, preview, restored, changes] = blocksOf(section, 'json').map((text) => JSON.parse(text));
  expect(results).toMatchObject([found, preview, restored, { ...restored, replayed: true }, changes]);
  expect(lines.slice(5).join('\n')).toBe(blocksOf(section, 'text').join('').trim());
  expect(await plan()).toEqual(planBefore);
});

describe("on the operator's own PostgreSQL", () => {
  const example = blocksOf(textOf('docs/import-format.md'), 'json')[0] ?? '';
  const placeholder = 'postgresql://user:password@host:5432/goalpost';
  beforeAll(() => writeFile(join(folder, 'workspace.json'), example));

  test('the commands of the pages for operators work in their order', async () => {
    const { url } = await temporaryDatabase();
    expect(await paste(ownDatabase.join('\n'), { [placeholder]: url })).toMatch(/^imported \d+ records.*\ngp_/m);
    const newest = '$(npx goalpost token list | sed -n 2p | cut -d " " -f 1)';
    const script = `export DATABASE_URL=${placeholder}\n${[...purging, ...tokens].join('\n')}`;
    expect(await paste(script, { [placeholder]: url, TOKEN_ID: newest })).toMatch(/\nrevoked \S+\n$/);
  });

  test('the commands of docs/deploying.md use the settings of the service', async () => {
    const [settings = ''] = blocksOf(textOf('docs/deploying.md'), 'ini');
    const { url } = await temporaryDatabase();
    const here = {
      'postgresql://goalpost_owner:password@db.example.com:5432/goalpost?sslmode=verify-full': url,
      '/opt/goalpost': '.',
      '/etc/': './',
      '/root/': './',
    };
    const gateway = 'postgresql://goalpost_gateway:password@db.example.com:5432/goalpost?sslmode=verify-full';
    await writeFile(join(folder, 'goalpost.env'), settings.replace(gateway, url));
    expect(await paste(service.join('\n'), here)).toMatch(/imported \d+ records.*\ngp_\S+/s);
  });

  test('the commands of docs/importing.md work in their order', async () => {
    const { url } = await temporaryDatabase();
    const script = `export DATABASE_URL=${url}\n${importing.join('\n')}`;
    const changes = { revision: 1, company: { id: 'acme', name: 'Acme Ltd' } };
    await writeFile(join(folder, 'changes.json'), JSON.stringify(changes));
    const [convert = ''] = blocksOf(textOf('docs/importing.md'), 'js');
    await writeFile(join(folder, 'convert.mjs'), convert);
    await writeFile(
      join(folder, 'goals.csv'),
      '\uFEFFid,name,closed_at\r\nlaunch,Launch,2026-03-31T16:00:00Z\r\ngrow,Grow,\r\n',
    );
    await mkdir(join(folder, 'pages'));
    for (const [name, text] of Object.entries({ 'plan.1': 'Summer', 'plan.2': 'Spring', 'notes.1': 'Notes' }))
      await writeFile(join(folder, 'pages', `${name}.txt`), text);
    const printed = await paste(script);
    expect(printed).toMatch(/^imported \d+ records \(\d+ rows\) from workspace.json\n/);
    // The company, a person, a space, a hub, two goals and two pages.
    expect(printed).toMatch(/imported 8 records \(\d+ rows\) from standard input\n/);
    expect(await query(url, "SELECT id, name FROM goals WHERE company_id = 'shop' ORDER BY id")).toEqual([
      { id: 'grow', name: 'Grow' },
      { id: 'launch', name: 'Launch' },
    ]);
    expect(await query(url, "SELECT id FROM people WHERE company_id = 'shop' AND is_owner")).toEqual([{ id: 'ann' }]);
  });

  test('the commands of docs/integrating.md set up an application with its own database', async () => {
    const { url } = await temporaryDatabase();
    const own = await temporaryEmptyDatabase();
    const server = await temporaryServer({ DATABASE_URL: url });
    // Afterwards the database of the gateway is as an old backup has it: no event and no change says so.
    const name = `curl -sS http://127.0.0.1:4000/graphql -H "Authorization: Bearer $TOKEN" \\
      -H 'Content-Type: application/json' -d '{"query":"{ goal(id: \\"launch\\") { name } }"}'`;
    const application = 'node --import tsx application/main.ts';
    const setBack = [
      `psql "$DATABASE_URL" --quiet -c "UPDATE goals SET name = 'Of a backup'"`,
      `${application} once`,
      name,
    ];
    const script = [...twoDatabases, ...setBack, `${application} resync`, name].join('\n');
    const printed = await paste(`export GOALPOST="$NODE $MAIN" GATEWAY=${server.base}\n${script}`, {
      [placeholder]: url,
      'postgresql://user:password@host:5432/application': own.directUrl,
      'http://127.0.0.1:4000': server.base,
      'node_modules/goalpost/docs/application': pathOf('docs/application'),
      'npm install pg tsx': `ln -s ${pathOf('node_modules')} node_modules`,
    });
    expect(printed).toMatch(/^sent file 1, changes: \d+\n/m);
    expect(printed).toMatch(/events taken in: \d+\n(?:.*\n)*?sent file 2, changes: 1\n/m);
    expect(printed).toMatch(/"is_closed":false/);
    expect(printed).toMatch(/ launch \| *\n/);
    expect(printed).toMatch(/"name":"Poster, final"/);
    expect(printed).toMatch(/"name":"Of a backup".*"name":"Launch in spring"/s);
  });

  test('the commands of docs/integrating.md set up an application in the database of the gateway', async () => {
    const { adminUrl, template } = inject('database');
    const database = await createEmptyDatabase();
    const [owner, gateway, application] = ['owner', 'gateway', 'app'].map((kind) => `${template}_page_${kind}`);
    const replaced = {
      'postgresql://admin:password@host:5432/goalpost': database.directUrl,
      '@host:5432/goalpost': database.directUrl.replace(/^.*@/, '@'),
      'roles --application': `roles --replace-passwords --owner ${owner} --gateway ${gateway} --application ${application}`,
      goalpost_owner: `${owner}`,
      goalpost_gateway: `${gateway}`,
      goalpost_application: `${application}`,
    };
    const [setUp = '', write = '', use = '', ownTables = ''] = oneDatabase;
    const exported = ['APPLICATION_URL', 'DATABASE_URL', 'TOKEN', 'OWNER_PASSWORD'];
    const echo = exported.map((name) => `echo "${name}=$${name}"`).join('\n');
    try {
      const two = {
        ...replaced,
        'goalpost roles': `goalpost roles --replace-passwords --owner ${owner} --gateway ${gateway}`,
      };
      expect(await paste(roles.join('\n'), two)).toContain('this role may write');
      const printed = await paste(`${setUp}\n${write}\n${echo}`, replaced);
      expect(printed).toContain(`the application's role ${application} may write\n`);
      expect(printed).not.toMatch(/ {2}(note|problem) /);
      const variables = exported.map((name) => new RegExp(`^${name}=(.+)$`, 'm').exec(printed)?.[1] ?? '');
      const server = await startServer({ DATABASE_URL: variables[1] ?? '' });
      const given = exported.map((name, index) => `export ${name}='${variables[index]}'`).join('\n');
      const answers = await paste(
        `${given}\n${use}\n${ownTables}\npsql "$APPLICATION_URL" -At -c 'SELECT * FROM planning.budgets'`,
        {
          ...replaced,
          'http://127.0.0.1:4000': server.base,
        },
      ).finally(server.stop);
      expect(answers).toMatch(/trial\|launch\|1000$/m);
      expect(answers).toMatch(/"is_closed":false/);
      expect(answers).toMatch(/ Launch in spring \| *\n/);
      expect(answers).toMatch(/"GOAL_CLOSED","origin":"APPLICATION".*"GOAL_REOPENED","origin":"API"/);
    } finally {
      await database.drop();
      for (const name of [owner, gateway, application]) await query(adminUrl, `DROP ROLE IF EXISTS ${name}`);
    }
  });
});
