import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSource, streamSource, type WorkspacePart } from '../../src/workspace/file.js';
import { workspace } from '../../src/workspace/format/workspace.js';
import { ImportError } from '../../src/workspace/report.js';
import { lists } from '../../src/workspace/tables.js';
import { importDocument } from '../support/importDocument.js';
import { smallWorkspace, withoutLabel } from '../support/smallWorkspace.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorld } from '../support/world.js';

const { db } = await createWorld({ isAlone: true });

/** The small workspace with some fields changed; undefined omits a field. */
function changed(changes: Record<string, unknown>): unknown {
  const document: unknown = smallWorkspace();
  for (const [path, value] of Object.entries(changes)) {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
    const last = steps.pop() ?? '';
    const parent = steps.reduce((at, step) => (at as Record<string, unknown>)[step], document) as Record<
      string,
      unknown
    >;
    parent[last] = value;
    if (value === undefined) delete parent[last];
  }
  return document;
}

async function problemsOf(document: unknown): Promise<string[]> {
  const error = await importDocument(db, document).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ImportError);
  return (error as ImportError).problems.map(withoutLabel);
}

const draft = 'documents[1]';
const update = 'goals[0].progress_updates[0]';
const version = 'documents[0].versions[1]';
const restored = 'documents[0].versions[2]';
const activity = 'documents[0].activities[0]';
const blob = 'files[0].blob';
const hub = 'resource_hubs[0]';
const insertedAt = 'goals[0].inserted_at';
const date = 'goals[0].timeframe.contextual_start_date.date';
const midnight = '2026-01-01T00:00:00Z';
const utc = 'must be a time of RFC 3339 such as 2026-03-31T09:30:00Z';
const storable = 'must not contain NUL or half a surrogate pair';
const noPerson = (id: string) => `nothing in people has the id "${id}"`;
const atMost = (characters: number) => `must have at most ${characters} characters`;

/** A field of the small workspace, a value that it may not have (undefined omits it), and what is said of that field. */
const fields: [rule: string, field: string, value: unknown, problem: string][] = [
  ['a required record', 'company', undefined, 'is required'],
  ['a required field', 'people[0].full_name', undefined, 'is required'],
  ['an empty name', 'goals[1].name', '', 'must not be empty'],
  ['a number for a string', 'people[0].full_name', 3, 'must be a string, not 3'],
  ['a fraction', `${blob}.width`, 1.5, 'must be a whole number, not 1.5'],
  ['a negative size', `${blob}.size`, -1, 'must be at least 0'],
  ['a number the column cannot hold', `${blob}.height`, 2 ** 31, 'must be at most 2147483647'],
  ['a record for a list', 'spaces[0].members', {}, 'must be an array, not an object'],
  ['a misspelt field', 'people[1].fullname', 'B', 'unknown field, did you mean full_name?'],
  ['a time without zone', insertedAt, '2026-01-01T00:00:00', `${utc}, not "2026-01-01T00:00:00"`],
  ['a day that is not', insertedAt, '2026-02-30T00:00:00Z', 'there is no such day: 2026-02-30'],
  ['a time in the year 10000 in UTC', insertedAt, '9999-12-31T23:59:59-01:00', 'must be before the year 10000'],
  ['a time in the year 999 in UTC', insertedAt, '1000-01-01T00:00:00+01:00', 'must be in the year 1000 or later'],
  ['a date that is a time', date, midnight, `must be a date such as 2026-03-31, not "${midnight}"`],
  ['NUL in a text', 'goals[0].description', 'a\0b', storable],
  ['half a surrogate pair', 'folders[0].name', 'a\ud83d', storable],
  ['what stands for the unstorable, in an id', 'projects[0].id', 'a\uFFFDb', 'must not contain U+FFFD'],
  ['a name that is too long', 'people[0].full_name', 'x'.repeat(501), atMost(500)],
  ['a title that is too long', 'people[0].title', '😀'.repeat(501), atMost(500)],
  ['a name of a record that is too long', 'projects[0].name', '😀'.repeat(501), atMost(500)],
  ['a text that is too long', 'projects[0].description', 'x'.repeat(4_000_001), atMost(4_000_000)],
  ['a file name that is too long', `${blob}.filename`, 'x'.repeat(256), atMost(255)],
  ['an endless id', 'projects[0].id', 'x'.repeat(201), atMost(200)],
  ['a link no browser keeps', 'documents[0].public_token', 'a/b', 'must be 1 to 200 letters, digits, - or _'],
  ['an id of something else', 'goals[0].reviewer_id', 'small-hub', noPerson('small-hub')],
  ['a file deleted by someone, but not deleted', 'files[0].deleted_by_id', 'small-ann', 'is only for a deleted file'],
  ['a gap in the versions', `${version}.version_number`, 4, 'must be 2, versions are listed from 1 on'],
  ['restored from later', `${restored}.restored_from_version_number`, 3, 'must be lower than version_number 3'],
  ['restored from nothing', `${restored}.restored_from_version_number`, null, 'is required for the origin restored'],
  ['restored and yet edited', `${version}.restored_from_version_number`, 1, 'is only for the origin restored'],
  ['a name that is not the current title', 'documents[0].name', 'Two', 'must be the title of the last version'],
  ['an old version as the current one', 'documents[0].current_version', 2, 'must be 3, the last version'],
  ['a restore of no version', `${activity}.version_number`, 9, 'no version 9 with the origin restored is listed'],
  ['a restore of nothing', `${activity}.version_number`, null, 'is required for document_version_restored'],
];

/** Changes of which something is said of another field, or of several. */
const records: [rule: string, changes: Record<string, unknown>, problems: string[]][] = [
  ['a field with an odd name', { 'company.odd "name"\n': 1 }, ['company["odd \\"name\\"\\n"]: unknown field']],
  [
    '__proto__',
    { 'people[0]': JSON.parse('{"id":"small-ann","full_name":"Ann","__proto__":{}}') },
    ['people[0].__proto__: unknown field'],
  ],
  [
    'an unknown enum value',
    { [`${update}.status`]: 'ON_TRACK' },
    [`${update}.status: must be one of pending, on_track, caution, off_track, paused, not "ON_TRACK"`],
  ],
  [
    'an id given twice',
    { 'people[1].id': 'small-ann' },
    [
      'people[1].id: "small-ann" is the same as people[0].id',
      ...[
        'spaces[0].access[0].person_id',
        `${update}.comments[0].author_id`,
        'goals[0].activities[0].notifications[0].person_id',
        `${version}.editor_id`,
      ].map((field) => `${field}: ${noPerson('small-ben')}`),
    ],
  ],
  [
    'a goal inside itself',
    { 'goals[0].parent_goal_id': 'small-subgoal' },
    ['goals[0].parent_goal_id: leads back to itself: "small-goal" → "small-subgoal" → "small-goal"'],
  ],
  [
    'a folder of another hub',
    { 'files[0].resource_hub_id': 'small-other-hub' },
    ['files[0].parent_folder_id: "small-folder" is a folder of "small-hub", not of "small-other-hub"'],
  ],
  [
    'a hub without a parent',
    { [`${hub}.space_id`]: null },
    [`${hub}: needs exactly one of space_id, goal_id and project_id, not 0`],
  ],
  [
    'two grants of one person',
    { 'spaces[0].access[1]': { person_id: 'small-ben', level: 70 } },
    ['spaces[0].access[1]: has the person_id of [0]'],
  ],
  [
    'the same reaction twice',
    { 'files[0].reactions[1]': { person_id: 'small-ann', emoji: '👍' } },
    ['files[0].reactions[1]: has the person_id and emoji of [0]'],
  ],
  [
    'a closed goal without an outcome',
    { 'goals[0].closed_at': midnight },
    ['goals[0].success: is required for a closed goal'],
  ],
  [
    'a closing that undid an outcome',
    {
      'goals[0].activities[0].undone_outcome': { success: true, closed_at: midnight },
      'goals[0].activities[0].action': 'goal_closed',
    },
    ['goals[0].activities[0].undone_outcome: is only for goal_reopened'],
  ],
  [
    'an open goal with one',
    { 'goals[0].success': false, 'goals[0].closed_by_id': 'small-ann' },
    ['success', 'closed_by_id'].map((field) => `goals[0].${field}: is only for a closed goal`),
  ],
  [
    'acknowledged by nobody',
    { [`${update}.acknowledged_at`]: midnight },
    [`${update}.acknowledging_person_id: is required once acknowledged`],
  ],
  [
    'published without a time',
    { [`${draft}.state`]: 'published' },
    [`${draft}.published_at: is required for a published document`],
  ],
  [
    'published without versions',
    { [`${draft}.state`]: 'published', [`${draft}.published_at`]: midnight },
    [`${draft}.versions: a published document has at least one`],
  ],
  [
    'a draft with versions',
    { 'documents[0].state': 'draft', 'documents[0].activities': [] },
    [
      'documents[0].published_at: is only for a published document',
      'documents[0].public_token: is only for a published document',
      'documents[0].versions: a draft has none',
    ],
  ],
  [
    'an edit that restored something',
    { [`${activity}.action`]: 'resource_hub_document_edited' },
    [`${activity}.version_number: no version 3 with the origin edited is listed`],
  ],
];

const cases = [
  ...fields.map(([rule, field, value, problem]) => [rule, { [field]: value }, [`${field}: ${problem}`]] as const),
  ...records,
];

it.each(['2025-12-31t23:00:00.000-01:00', '2025-12-31T23:59:60Z'])('the time %s is stored in UTC', (time) => {
  const { company } = workspace.parse({ company: { id: 'a', name: 'A', inserted_at: time } });
  expect(company.inserted_at).toBe('2026-01-01T00:00:00.000Z');
});

it('the origin of a version is by default that of its place', () => {
  const document = changed({
    'documents[0].versions[0].origin': undefined,
    'documents[0].versions[1].origin': undefined,
    'documents[0].versions[2].origin': null,
  });
  const versions = workspace.parse(document).documents[0]?.versions;
  expect(versions?.map(({ origin }) => origin)).toEqual(['published', 'edited', 'restored']);
});

describe('a document is refused, and nothing of it written, for', () => {
  it.each(cases)('%s', async (_rule, changes, problems) => {
    expect(await problemsOf(changed(changes))).toEqual(problems);
    expect(await db.company.count()).toBe(0);
  });

  it.each([
    [[], 'the file: must be an object, not []'],
    [null, 'the file: must be an object, not null'],
    [{}, 'company: is required'],
  ])('being %j', async (document, problem) => {
    expect(await problemsOf(document)).toEqual([problem]);
  });

  it('everything that is wrong with its records at once, and then all that is wrong between them', async () => {
    const dangling = { 'goals[0].champion_id': 'nobody', [`${version}.editor_id`]: 'nobody' };
    const document = changed({
      ...dangling,
      'people[0].full_name': 3,
      [`${version}.version_number`]: 3,
      peeple: [],
    });
    expect(await problemsOf(document)).toEqual([
      'people[0].full_name: must be a string, not 3',
      `${version}.version_number: must be 2, versions are listed from 1 on`,
      'peeple: unknown field, did you mean people?',
    ]);
    expect(await problemsOf(changed(dangling))).toEqual([
      'goals[0].champion_id: nothing in people has the id "nobody"',
      `${version}.editor_id: nothing in people has the id "nobody"`,
    ]);
  });

  it('a thousand problems, of which the message shows fifty', async () => {
    const people = Array.from({ length: 1000 }, () => ({ id: 'same', full_name: '' }));
    const error = await importDocument(db, { ...smallWorkspace(), people }).catch((reason) => reason);
    expect(error.problems.length).toBeGreaterThan(999);
    const lines = error.message.split('\n');
    expect(lines).toHaveLength(52);
    expect(lines[0]).toBe(`Nothing was imported: there are ${error.problems.length} problems:`);
    expect(lines[1]).toMatch(/^ {2}people\[0\]\.full_name \(person ".*"\): must not be empty$/);
    expect(lines[51]).toBe(`  … and ${error.problems.length - 50} more`);
  });
});

it('a problem names the kind and the id of its record, wherever it is found', async () => {
  const problemsWith = async (changes: object): Promise<string[]> => {
    const document = { ...smallWorkspace(), goals: [{ ...smallWorkspace().goals[0], ...changes }] };
    return (await importDocument(db, document).catch((reason) => reason)).problems;
  };
  expect((await problemsWith({ closed_at: midnight }))[0]).toMatch(/^goals\[0\]\.success \(goal "small-goal"\): /);
  expect(await problemsWith({ reviewer_id: 'nobody' })).toContain(
    'goals[0].reviewer_id (goal "small-goal"): nothing in people has the id "nobody"',
  );
});

async function partsIn(file: string): Promise<WorkspacePart[]> {
  const parts: WorkspacePart[] = [];
  for await (const part of fileSource(file).parts) parts.push(part);
  return parts;
}

describe('a file', async () => {
  const directory = await temporaryFolder();
  const path = (name: string) => join(directory, name);

  const line = '{"kind":"company","id":"a","name":"A"}\n';
  const ofLists = Object.values(lists).map(({ kind }) => kind);
  const kinds = (number: number) => `line ${number}: kind must be one of company, ${ofLists.join(', ')}, header, end`;

  it.each([
    ['that ends too early', '{"a": "b"', "is not valid JSON: Expected ',' or '}' after property value"],
    [
      'that is nested too deeply',
      `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
      'is not valid JSON: The value is nested deeper than 100 levels',
    ],
    ['with more after the end', '{} {}', 'is not valid JSON: Unexpected non-whitespace character after JSON'],
    ['with a line that is none', `${line}{`, "line 2: is not valid JSON: Expected property name or '}'"],
    ['that is a list of lists', '[["a"], ["b"]]', 'must be an object, not [["a"],["b"]]'],
    ['whose line is a list', `${line}[1]`, 'line 2: must be an object, not [1]'],
    ['whose line has no kind', `${line}{"id":"a"}`, kinds(2)],
    [
      'whose end counts nothing',
      `${line}{"kind":"end"}`,
      'line 2: the record of kind end must count the others: "records": 1',
    ],
    ['in another encoding', Buffer.from('{"ä":1}', 'latin1'), 'is not UTF-8 text'],
  ])('%s is refused', async (name, content, problem) => {
    await writeFile(path(name), content);
    await expect(partsIn(path(name))).rejects.toThrow(`Nothing was imported. ${path(name)}: ${problem}`);
  });

  it('of more than 256 MB in one document is refused, with what to write instead', async () => {
    const spaces = Buffer.alloc(1024 * 1024, ' ');
    const { parts } = streamSource(() => Array(257).fill(spaces), 'big.json');
    const reading = (async () => {
      for await (const _ of parts);
    })();
    await expect(reading).rejects.toThrow(/big\.json: is a JSON document of more than 256 MB: .*each line.*\(NDJSON\)/);
  });

  it('that is missing or a directory is refused', async () => {
    const refusal = (name: string, problem: string) =>
      expect(partsIn(path(name))).rejects.toThrow(new ImportError([`${path(name)}: ${problem}`]));
    await refusal('missing.json', 'no such file or directory');
    await refusal('.', 'illegal operation on a directory');
  });

  it('may begin with a byte order mark', async () => {
    await writeFile(path('bom.json'), '\ufeff{"a": 1}');
    expect(await partsIn(path('bom.json'))).toEqual([{ field: 'a', value: 1, isRecord: false, path: 'a' }]);
    const lines = '{"kind":"company","id":"c","name":"C"}\n{"kind":"end","records":1}\n';
    await writeFile(path('lines.ndjson'), lines);
    await writeFile(path('bom.ndjson'), `\ufeff${lines}`);
    expect(await partsIn(path('bom.ndjson'))).toEqual(await partsIn(path('lines.ndjson')));
  });
});
