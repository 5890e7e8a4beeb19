import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildSchema, type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import pg from 'pg';
import { openModels } from '../../src/database.js';
import { applyMigrations, migrationsDirectory } from '../../src/platform/administration/migrations.js';
import { createToken } from '../../src/tokens.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startBuiltGateway } from '../builtGateway.js';
import { freePort, longestBlock } from './loopDelay.js';

// Sends the worst texts of each kind to each field and argument that takes one, and asks for each field that shows one:
// `npx tsx tools/attacks/texts.ts [--heap 512] [--block 150] [--memory 250] [kind …]`. Measures the longest block of the event loop, the memory
// above idle, and the statuses. Prints a Markdown table, and exits with 1 if a block or the memory is over its bound, or a
// status is 500 or 503.

const { values, positionals } = parseArgs({
  options: {
    heap: { type: 'string', default: '512' },
    block: { type: 'string', default: '150' },
    memory: { type: 'string', default: '250' },
  },
  allowPositionals: true,
});

const filled = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const document = (content: string) => `{"type":"doc","content":[${content}]}`;
const nodes = (node: string) => (length: number) =>
  document(
    Array(Math.max(1, Math.floor((length - 30) / (node.length + 1))))
      .fill(node)
      .join(),
  );

const mentioned = '{"type":"mention","attrs":{"id":"p"}}';

/** As many parts as fit, no two of which need be the same, and a mention. */
function own(length: number, part: (index: number) => string): string {
  const parts: string[] = [];
  for (let left = length - 100; left > 0 && parts.length < 190_000; left -= (parts.at(-1)?.length ?? 0) + 1)
    parts.push(part(parts.length));
  return [...parts.slice(0, -1), mentioned].join();
}

/** The kinds of texts, by how many characters they are to have. */
const kinds: Record<string, (length: number) => string> = {
  marks: filled('a\u0301\u0323\u0316\u0301\u0323'.slice(1)),
  spaces: (length) => `a${' '.repeat(length - 2)}b`,
  zeros: (length) => `1.${'0'.repeat(length - 3)}1`,
  quotes: filled('"\\'),
  brackets: filled('['),
  braces: (length) => `{"type":"doc","content":[${filled('{')(length - 24)}`,
  'one line': filled('some words of a text '),
  'one word': filled('x'),
  lines: filled('a\n'),
  nodes: nodes('{}'),
  paragraphs: nodes('{"type":"paragraph","content":[{"type":"text","text":"a word "}]}'),
  mentions: nodes('{"type":"mention","attrs":{"id":"p","label":"P"}}'),
  'keys of their own': (length) => document(own(length, (n) => `{"a${n}":1,"b":2}`)),
  shapes: (length) => document(own(length, (n) => `{${Array.from({ length: 20 }, (_, k) => `"${n}_${k}":1`)}}`)),
  'numbers for keys': (length) => document(own(length, () => '{"1000":1,"1":1}')),
  lists: (length) => document(own(length, () => '[[1]]')),
  'deep lists': (length) => document(`${'['.repeat(length / 2 - 70)}${']'.repeat(length / 2 - 70)},${mentioned}`),
  'deep attributes': (length) => {
    const depth = Math.floor((length - 70) / 2);
    return document(`{"type":"widget","attrs":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`);
  },
  'deep nodes': (length) => {
    const depth = Math.floor((length - 60) / 35);
    return document(`${'{"type":"blockquote","content":['.repeat(depth)}${']}'.repeat(depth)}`);
  },
  'control characters': filled('\u0001\u0002'),
  Chinese: filled('字语'),
  emoji: filled('👨‍👩‍👧'),
  reordered: (length) =>
    Array.from({ length: length / 6 }, (_, n) => `${(n * 7919) % 99_991}`)
      .join('\n')
      .slice(0, length),
};

const names = positionals.length > 0 ? positionals : Object.keys(kinds);
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

interface Request {
  what: string;
  path: string;
  body: string;
  headers?: Record<string, string>;
}

const graphql = (what: string, text: string, variables: object = {}): Request => ({
  what,
  path: '/graphql',
  body: JSON.stringify({ query: text, variables }),
});
const rest = (path: string, body: object): Request => ({
  what: path,
  path: `/api/external/v1/${path}`,
  body: JSON.stringify(body),
});
const tool = (name: string, given: object): Request => ({
  what: `tool ${name}`,
  path: '/mcp',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
});

/** Every way to put a text into an input type, each with values that let it be read for the rest. */
function* withText(type: GraphQLInputType, text: string, path: string): Generator<[path: string, value: unknown]> {
  if (isNonNullType(type)) yield* withText(type.ofType, text, path);
  else if (isListType(type)) for (const [at, value] of withText(type.ofType, text, path)) yield [at, [value]];
  else if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const rest = Object.fromEntries(
      fields.filter((field) => isNonNullType(field.type)).map((field) => [field.name, '1']),
    );
    for (const field of fields)
      for (const [at, value] of withText(field.type, text, `${path}.${field.name}`))
        yield [at, { ...rest, [field.name]: value }];
  } else yield [path, text];
}

/** A request for each argument of each root field. */
function* taking(text: string): Generator<Request> {
  for (const [operation, root] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const)
    for (const field of Object.values(root?.getFields() ?? {}))
      for (const { name, type } of field.args)
        for (const [path, value] of withText(type, text, `${field.name}(${name}`)) {
          const document = `${operation} ($v: ${type}) { ${field.name}(${name}: $v) { __typename } }`;
          yield graphql(`${path})`, document, { v: value });
        }
  yield rest('reopen_goal', { id: 'closed', message: text, subscriber_ids: [text] });
  yield rest('reopen_goal', { id: text });
  yield rest('delete_resource_hub_file', { file_id: text });
  yield rest('documents/restore_document_version', {
    document_id: text,
    version_number: 1,
    expected_current_version: 1,
  });
  yield { ...rest('reopen_goal', {}), what: 'a body', body: text };
  yield { ...rest('reopen_goal', {}), what: 'a number', body: `{"id":${text}}` };
  yield { ...rest('reopen_goal', {}), what: 'a key', body: `{${JSON.stringify(text)}:1}` };
  yield graphql('a document', text);
  yield graphql('a literal', `{ goal(id: ${JSON.stringify(text)}) { id } }`);
  yield {
    ...graphql('variables', ''),
    what: 'variables',
    body: `{"query":"{ __typename }","variables":{"a":${JSON.stringify(text)}}}`,
  };
  yield { ...tool('find_goals', {}), what: 'a message', body: text };
  for (const name of ['find_goals', 'find_people', 'find_files_and_documents', 'recent_changes'])
    yield tool(name, { text, after: text });
  yield tool('read_document', { id: text });
  yield tool(text, {});
}

const difference =
  '{ isFormattingOnly title { changes { text } } content { granularity changes(context: 100) { kind text } excerpt { omitted } } }';
const whole = '{ content { changes { kind text } } }';

/** A request for each field that shows the texts of a document, a goal, a person. */
function* showing(): Generator<Request> {
  const document = (fields: string) => `{ resourceHubDocument(id: "d") { ${fields} } }`;
  yield graphql('content', document('content version(number: 1) { content contentChanged }'));
  yield graphql(
    'readableText',
    document(
      'readableText { count } last: readableText(page: 20) { text } version(number: 1) { readableText { count } }',
    ),
  );
  yield graphql('diffToCurrent', document(`version(number: 1) { diffToCurrent ${difference} }`));
  yield graphql('all changes', document(`version(number: 1) { diffToCurrent ${whole} }`));
  yield graphql('diffToPrevious', document(`versions { nodes { diffToPrevious ${difference} } }`));
  yield graphql(
    'previewRestoreDocumentVersion',
    `{ previewRestoreDocumentVersion(input: { documentId: "d", versionNumber: 1 }) {
      state wouldChange subscribed { nodes { id } } titleBefore contentAfter difference ${difference} } }`,
  );
  yield graphql(
    'all previews',
    `{ previewReopenGoal(input: { id: "closed" }) { state goal { description } notified { nodes { id } } }
      previewDeleteResourceHubFile(input: { fileId: "f" }) { state }
      previewRecoverResourceHubFile(input: { fileId: "f" }) { state }
      previewUndoChange(input: { activityId: "a" }) { state } }`,
  );
  yield graphql(
    'several restores',
    `mutation { ${[1, 2]
      .map(
        (number) => `r${number}: restoreDocumentVersion(input: {
          documentId: "d", versionNumber: ${number}, expectedCurrentVersion: ${number + 1} }) { document { id } }`,
      )
      .join(' ')} }`,
  );
  yield tool('read_document', { id: 'd' });
  yield tool('read_document', { id: 'd', diff_to_current: 1 });
  yield tool('preview_change', {
    restore_document_version: { document_id: 'd', version_number: 1, expected_current_version: 2 },
  });
  yield graphql('goals', '{ goals { nodes { name description } } }');
  yield graphql('people', '{ people { nodes { fullName title } } }');
  yield graphql('a search', '{ goals(filter: { text: "aa" }) { nodes { name } } }');
  yield graphql('history', '{ goal(id: "open") { threads { nodes { message } } } }');
  yield tool('find_goals', { text: 'aa' });
  yield tool('recent_changes', {});
  yield rest('documents/restore_document_version', {
    document_id: 'd',
    version_number: 1,
    expected_current_version: 2,
  });
  yield rest('documents/restore_document_version', {
    document_id: 'd',
    version_number: 2,
    expected_current_version: 3,
  });
}

const company = 'c';

/** What PostgreSQL can hold of it. */
const stored = (text: string, most: number) => text.slice(0, most).toWellFormed().replaceAll('\0', '');

async function fill(url: string, text: string) {
  const [content, name] = [stored(text, 4_000_000), stored(text, 500)];
  const changed = stored(`${content.slice(0, content.length / 2)}!${content.slice(content.length / 2)}`, 4_000_000);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Without triggers and the checks of foreign keys.
  await client.query('SET session_replication_role = replica; TRUNCATE companies CASCADE');
  const insert = (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys({ company_id: company, ...row });
    const values = columns.map((_, n) => `$${n + 1}`).join();
    const given = Object.values({ company_id: company, ...row });
    return client.query(`INSERT INTO ${table} (${columns.join()}) VALUES (${values})`, given);
  };
  await client.query(`INSERT INTO companies (id, name) VALUES ('${company}', 'C')`);
  await insert('people', { id: 'p', full_name: name, title: name, is_owner: true });
  await insert('spaces', { id: 's', name, mission: content });
  const goal = { space_id: 's', name, company_level: 70, space_level: 100 };
  await insert('goals', { ...goal, id: 'open', description: content });
  await insert('goals', { ...goal, id: 'closed', closed_at: new Date(), success: true });
  await insert('resource_hubs', { id: 'h', space_id: 's', name, description: content });
  await insert('resource_hub_documents', {
    ...{ id: 'd', resource_hub_id: 'h', name, content: changed, author_id: 'p' },
    ...{ state: 'published', current_version: 2, published_at: new Date() },
  });
  const version = { document_id: 'd', title: name, editor_id: 'p' };
  await insert('document_versions', { ...version, id: 'v1', version_number: 1, content, origin: 'published' });
  await insert('document_versions', {
    ...version,
    ...{ id: 'v2', version_number: 2, previous_version_number: 1, content: changed, origin: 'edited' },
  });
  await client.end();
}

interface Row {
  block: number;
  megabytes: number;
  statuses: Map<number | string, number>;
  /** What blocked longest, and what failed. */
  worst: string;
  failed: Set<string>;
}

const postgres = await startPostgres();
const { url } = postgres;
await applyMigrations(url, migrationsDirectory);
const db = openModels({ url, poolSize: 2, preparedStatements: false });
const port = await freePort();
const hook = new URL('loopDelay.mjs', import.meta.url).href;
const gateway = await startBuiltGateway({
  ...{ DATABASE_URL: url, MCP: 'on', LOOP_DELAY_PORT: String(port) },
  NODE_OPTIONS: `--max-old-space-size=${values.heap} --import ${hook}`,
});
async function send(token: string, { path, body, headers }: Request): Promise<number | string> {
  try {
    const response = await fetch(gateway.base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await response.text();
    // With plain JSON, GraphQL and tools answer 200 for what failed.
    if (/"code":"(INTERNAL_SERVER_ERROR|INTERNAL_ERROR)"/.test(text.slice(0, 100_000))) return 500;
    return text.slice(0, 100_000).includes('SERVICE_UNAVAILABLE') ? 503 : response.status;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

async function measure(kind: string, size: number, idle: number): Promise<Row> {
  const row: Row = { block: 0, megabytes: 0, statuses: new Map(), worst: '', failed: new Set() };
  const text = (kinds[kind] as (length: number) => string)(size);
  await fill(url, text);
  const { token } = await createToken(db, { companyId: company, personId: 'p', name: 'texts', canWrite: true });
  for (const request of [...(size > 1_000_000 ? [] : taking(text)), ...showing()]) {
    await longestBlock(port);
    const status = await send(token, request);
    const block = await longestBlock(port);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
    if (block > row.block) Object.assign(row, { block, worst: request.what });
    if (typeof status === 'string' || [500, 503].includes(status)) row.failed.add(request.what);
    row.megabytes = Math.max(row.megabytes, gateway.megabytes() - idle);
  }
  return row;
}

let isBad = false;
try {
  await sleep(1_000);
  const idle = gateway.megabytes();
  console.log('| Text | Characters | Longest block | by | Memory above idle | Statuses | Failed |');
  console.log('|---|---|---|---|---|---|---|');
  for (const kind of names)
    for (const size of [100_000, 900_000, 4_000_000]) {
      const { block, worst, megabytes, statuses, failed } = await measure(kind, size, idle);
      isBad ||= block > Number(values.block) || megabytes > Number(values.memory) || failed.size > 0;
      const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      console.log(
        `| ${kind} | ${size} | ${Math.round(block)} ms | ${worst.slice(0, 60)} | ${Math.round(megabytes)} MB | ${counts} | ${[...failed].join(', ')} |`,
      );
    }
} finally {
  await db.$disconnect();
  await gateway.stop();
  await postgres.stop();
}
process.exitCode = isBad ? 1 : 0;
