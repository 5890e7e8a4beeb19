import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, isEnumType, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { catalogue, errorCodes, exampleOf } from '../../src/errors/catalogue.js';
import { eventFields, eventTypeOf } from '../../src/events/event.js';
import { headersOf } from '../../src/platform/failures/failures.js';
import { snakeCase } from '../../src/platform/http/response.js';
import { actions, activityActions } from '../../src/rules/activityActions.js';
import { sdl } from '../../src/schema/index.js';
import { settings } from '../../src/settings.js';
import {
  anchorOf,
  blocksOf,
  documents,
  headingsOf,
  notes,
  pathOf,
  proseOf,
  rowsOf,
  sectionOf,
  textOf,
  withGenerated,
} from '../support/documents.js';

const packageJson = JSON.parse(textOf('package.json'));

test('the README fits 150 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test.each([
  'README.md',
  'docs/install.md',
  'docs/configuration.md',
  'docs/database.md',
  'docs/troubleshooting.md',
  'docs/concepts.md',
  'docs/rest.md',
  'docs/graphql.md',
  'docs/importing.md',
  'docs/growing.md',
])('where %s needs a checkout, it says so: others have installed the package', (file) => {
  const paragraphs = textOf(file).split(/\n(?:\n(?!```)|(?=[|-] ))/);
  const ofCheckout = paragraphs.filter((text) =>
    /npm (start|test|run (?!schema)|ci)|docker (build|compose)/.test(text),
  );
  expect(ofCheckout.filter((text) => !/checkout/.test(text))).toEqual([]);
  if (/npx tsx test\//.test(textOf(file))) expect(textOf(file)).toMatch(/`npx tsx test\/…`.*checkout/);
});

test('compose.yaml says where to read about a password that is missing, and that is where they are made', () => {
  const required = [...textOf('compose.yaml').matchAll(/\$\{(\w+)(?::\?(.*?))?\}/g)];
  expect(required.length).toBeGreaterThan(0);
  const section = sectionOf(textOf('docs/install.md'), 'Container image');
  for (const [, name = '', message] of required) {
    expect(message, name).toBe('see docs/install.md, Container image');
    expect(section).toMatch(new RegExp(`for name in [A-Z ]*\\b${name.replace('_PASSWORD', '')}\\b`));
  }
});

test('every document is linked from the README', () => {
  for (const file of documents) if (file !== 'README.md') expect(textOf('README.md')).toContain(`(${file})`);
});

test.each(documents.filter((file) => !/README|SECURITY|changelog/.test(file)))(
  '%s begins with whom it is for, and ends with what to read next',
  (file) => {
    const lines = textOf(file).trimEnd().split('\n');
    expect(lines[2]).toMatch(/^For /);
    expect(lines.at(-1)).toMatch(/^Next: .*\.md/);
  },
);

test('every folder of tests says in a line what it is for', () => {
  const hasTests = (folder: string) => readdirSync(pathOf(folder)).some((name) => name.endsWith('.test.ts'));
  const folders = readdirSync(pathOf('test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((path) => !path.includes('node_modules') && statSync(pathOf(path)).isDirectory() && hasTests(path));
  expect(folders.length).toBeGreaterThan(10);
  for (const folder of folders) expect(textOf(join(folder, 'README.md')), folder).toMatch(/^[A-Z].*\.\n$/);
});

test.each(documents)('%s links only to what the package has', (file) => {
  const packed = ['README.md', ...packageJson.files];
  const others = [...proseOf(textOf(file)).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link))
    .map((link) => join(file, '..', link));
  expect(others.filter((path) => !packed.some((each) => path === each || path.startsWith(`${each}/`)))).toEqual([]);
});

describe.each([...documents, ...notes])('%s', (file) => {
  const text = textOf(file);

  test('has links that lead somewhere', () => {
    const broken = [...proseOf(text).matchAll(/\]\(([^)]+)\)/g)].flatMap(([, link = '']) => {
      if (/^https?:/.test(link)) return [];
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(file, '..', path);
      if (!existsSync(pathOf(target))) return [link];
      return anchor === undefined || headingsOf(textOf(target)).map(anchorOf).includes(anchor) ? [] : [link];
    });
    expect(broken).toEqual([]);
  });

  test('names files and folders that exist', () => {
    const names = [...proseOf(text).matchAll(/`((?:src|test|prisma|docs)\/[\w./-]*)`/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !existsSync(pathOf(name)))).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const names = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  test('has GraphQL that fits the schema', () => {
    const schema = buildSchema(sdl());
    expect(blocksOf(text, 'graphql').flatMap((document) => validate(schema, parse(document)))).toEqual([]);
  });

  test('names settings and error codes that exist', () => {
    const names = [...proseOf(text).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name);
    const known = [
      ...Object.keys(settings.shape),
      ...errorCodes,
      ...Object.values(buildSchema(sdl()).getTypeMap()).flatMap((type) =>
        isEnumType(type) ? type.getValues().map((value) => value.name) : [],
      ),
      'TEST_DATABASE_URL',
      'TEST_ISOLATION',
      'TEST_PGBOUNCER',
      'RANDOM_QUERIES',
      'NO_COLOR',
      'NODE_EXTRA_CA_CERTS',
      'NODE_OPTIONS',
      'OTEL_SERVICE_NAME',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'MODEL_SECONDS',
      'WEBHOOK_CHAOS_SECONDS',
      'FUZZ_REQUESTS',
      'READER_COMPARISONS',
      'KEPT_PLANS',
      'EXPORT_REQUESTS',
      'LIVING_DATA_CHANGES',
      'LIVING_DATA_HISTORIES',
      'READER_SEED',
      'EXECUTIONS_SEED',
      'CITUS_URL',
      'OWNER_PASSWORD',
      'GATEWAY_PASSWORD',
      'APPLICATION_PASSWORD',
      'AGENT_RUNS',
      'BACKUP_BIN',
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the settings', () => {
  /** A default as the tables spell it; undefined if the tables explain it in words. */
  function defaultOf(setting: string): string | undefined {
    const { data, success } = settings.shape[setting as keyof typeof settings.shape].safeParse(undefined);
    if (!success || data === undefined || Array.isArray(data)) return undefined;
    return `\`${typeof data === 'boolean' ? (data ? 'on' : 'off') : data}\``;
  }

  const tables = [
    ['README.md', 'Settings'],
    ['docs/settings.md', 'All settings'],
  ].map(([file = '', heading = '']) => rowsOf(sectionOf(textOf(file), heading)));
  const [short = [], all = []] = tables.map((rows) =>
    rows.map(([name = '', value = '']) => [name.replaceAll('`', ''), value]),
  );

  test('are all in docs/settings.md', () => {
    expect(all.map(([name]) => name).sort()).toEqual(Object.keys(settings.shape).sort());
  });

  test('that matter most are ten, in the README', () => {
    expect(short).toHaveLength(10);
  });

  test.each([...short, ...all])('%s has the default %s', (name = '', value = '') => {
    const expected = defaultOf(name);
    if (expected) expect(value).toBe(expected);
    else expect(value).toMatch(/^[^`]+$/);
  });
});

test('test/dependencies.md explains each override of package.json', () => {
  const explained = rowsOf(sectionOf(textOf('test/dependencies.md'), 'Overrides')).map(([override = '']) => override);
  const overrides = Object.entries(packageJson.overrides).map(([name, pinned]) => `\`${name}\` ${pinned}`);
  expect(explained).toEqual(overrides);
});

test('Node and PostgreSQL are those the program asks for', () => {
  const node = /\d+\.\d+/.exec(packageJson.engines.node)?.[0];
  for (const file of ['README.md', 'docs/install.md']) {
    expect(textOf(file)).toContain(node);
    expect(textOf(file)).toContain('14 to 18');
  }
});

test('the errors in docs/errors.md are those of the catalogue; npm run schema writes them', async () => {
  const members = (code: (typeof errorCodes)[number]) => {
    const { members: always = {}, optionalMembers = {} } = catalogue[code];
    const names = [...Object.keys(always), ...Object.keys(optionalMembers)];
    return names.map((name) => `\`${snakeCase(name)}\`${name in optionalMembers ? '?' : ''}`).join(', ');
  };
  const where = { declared: 'operations that declare it', method: 'wrong method', graphql: 'GraphQL only' };
  const rows = errorCodes.map((code) => {
    const { status, title, occurs } = catalogue[code];
    const cells = [`\`${code}\``, status, title, members(code), Object.keys(headersOf(exampleOf(code))).join(', ')];
    return `| ${[...cells, occurs ? where[occurs] : 'everywhere'].join(' | ')} |`;
  });
  const table = ['| Code | Status | Title | Members | Headers | Where |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
  await expect(withGenerated(textOf('docs/errors.md'), 'errors', table)).toMatchFileSnapshot(pathOf('docs/errors.md'));
});

test('the types in docs/events.md are those of the code; npm run schema writes them', async () => {
  const rows = actions.map((action) => {
    const members = eventFields[action].map((member) => `\`${member}\``).join(', ');
    return `| \`${eventTypeOf(action)}\` | \`${action.toUpperCase()}\` | ${activityActions[action].description} | ${members} |`;
  });
  const table = ['| Type | Action | What happened | `data` besides `author_id` |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
  await expect(withGenerated(textOf('docs/events.md'), 'events', table)).toMatchFileSnapshot(pathOf('docs/events.md'));
});

describe('comments in the code', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs|sql)$/.test(name) && !/generated|node_modules|test\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const texts = files.map((file) => [file, readFileSync(pathOf(file), 'utf8')] as const);

  test('refer to decisions that exist', () => {
    const headings = headingsOf(textOf('test/decisions.md'));
    const references = texts.flatMap(([file, text]) =>
      [...text.matchAll(/Decisions: "([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
    );
    expect(references).not.toEqual([]);
    expect(references.filter(({ name }) => !headings.includes(name))).toEqual([]);
  });

  test('refer to sections of documents that exist', () => {
    const references = texts.flatMap(([file, text]) =>
      [...text.matchAll(/((?:prisma\/|test\/)README\.md|README\.md|README|docs\/\w+\.md)(?:, "([^"]+)")?/g)].map(
        ([, document = '', heading]) => ({
          file,
          document,
          heading,
        }),
      ),
    );
    const broken = references.filter(
      ({ document, heading }) =>
        ![...documents, ...notes].includes(document) || (heading && !headingsOf(textOf(document)).includes(heading)),
    );
    expect(broken).toEqual([]);
  });
});
