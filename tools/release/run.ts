// `npm version` runs this: `gate` before it changes the version, and `changelog` afterwards.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { breakingGraphqlChanges } from '../../test/support/graphqlChanges.js';
import { breakingChanges } from './breakingChanges.js';
import { mayBreak, releasedChangelog } from './changelog.js';

const { npm_old_version: from = '', npm_new_version: version = '' } = process.env;
if (version === '') throw new Error('npm version runs this, and says which version it makes');

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const [tag] = git('tag', '--merged', 'HEAD', '--sort=-version:refname', '--list', 'v*').split('\n');

/** What breaks clients of the last release. Nothing does before the first. */
async function breaking(): Promise<string[]> {
  if (!tag) return [];
  const [schema = '', document = ''] = ['schema.graphql', 'openapi.json'].map((file) => git('show', `${tag}:${file}`));
  const graphql = await breakingGraphqlChanges(
    buildSchema(schema),
    buildSchema(readFileSync('schema.graphql', 'utf8')),
  );
  const rest = breakingChanges(JSON.parse(document), JSON.parse(readFileSync('openapi.json', 'utf8')));
  return [...graphql.map((line) => `GraphQL: ${line}`), ...rest.map((line) => `REST: ${line}`)];
}

const found = await breaking();
if (process.argv[2] === 'gate') {
  if (found.length > 0 && !mayBreak(from, version)) {
    console.error(`${version} may not break clients of ${from}:\n  ${found.join('\n  ')}`);
    process.exitCode = 1;
  } else console.log(tag ? `${found.length} changes break clients of ${tag}.` : 'This is the first release.');
} else {
  const changelog = 'docs/changelog.md';
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, 'utf8'), { version, date, breaking: found }));
}
