import { catalogue } from '../../../src/errors/catalogue.js';
import { requireDescribed } from '../openapiValidator.js';
import type { Json, World } from '../world.js';
import type { WireAnswer } from './wire.js';

const inside = /node_modules|\.[cm]?[jt]s:\d+|prisma|\n {4}at |\/(?:home|root|usr|tmp|var)\//i;
const isPage = /^(?:text\/(?:html|css|javascript|plain)|image\/)/;
const isGraphql = /^application\/graphql-response\+json/;

/** Fails if an answer is not what every answer must be, whatever was asked; the path is empty if it is not known. */
export function requireAnswer(method: string, path: string, answer: WireAnswer): void {
  const { status, headers, text, hasBody } = answer;
  const wrong = (what: string): never => {
    throw new Error(`${what}: ${status} ${JSON.stringify([...headers])} ${text.slice(0, 1000)}`);
  };
  if (status < 200 || status >= 500) wrong('a status that must not be');
  if (!/^[\w.:/+=-]{1,128}$/.test(headers.get('x-request-id') ?? '')) wrong('no request id');
  const type = headers.get('content-type') ?? '';
  if (!isPage.test(type) && inside.test(`${text}${JSON.stringify([...headers])}`)) wrong('the insides');
  if (!hasBody || text === '') return;
  if (isPage.test(type)) return;
  if (!/\bjson\b/.test(type)) wrong(`a body of the type "${type}"`);
  const body: Json = parsed(text) ?? wrong('no JSON');
  // A path of the API is the same with a slash at its end.
  const pathname = path.replace(/[?#].*/s, '').replace(/(?<=.)\/$/, '');
  const maySpeakGraphql = ['/graphql', ''].includes(pathname) && /^application\/json/.test(type) && !('code' in body);
  // A batch is refused once for each operation in it.
  const answers: Json[] = [body].flat();
  const isForGraphql =
    isGraphql.test(type) || (maySpeakGraphql && answers.every((each) => 'data' in each || 'errors' in each));
  if (isForGraphql) for (const each of answers) requireGraphql(each, wrong);
  else requireDescribed({ method, path: knownPath(pathname), status, headers, body });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const knownPath = (path: string) => (/^\/[\w/.]*$/.test(path) && !path.startsWith('//') ? path : '/not/known');

function requireGraphql(body: Json, wrong: (what: string) => never): void {
  const { data, errors, extensions, ...more } = body;
  if (Object.keys(more).length > 0) wrong('members that GraphQL does not know');
  if (data === undefined && errors === undefined) wrong('neither data nor errors');
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) wrong('no list of errors');
  for (const { message, extensions: facts } of errors ?? []) {
    const entry = catalogue[facts?.code as keyof typeof catalogue];
    if (typeof message !== 'string' || typeof facts?.requestId !== 'string' || !entry)
      wrong('an error without its parts');
    if (entry.status >= 500) wrong('an unexpected error');
  }
}

/**
 * A number for each table that changes when any row does, apart from a token's last use, kept outcomes, counts,
 * and the numbers of events, which are given some time after a change.
 */
export async function fingerprint(world: World): Promise<Json> {
  const tables = await world.sql(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'api_tokens', 'idempotency_keys', 'rate_limits')",
  );
  const sums = tables.map(
    ({ name }: Json) =>
      `SELECT '${name}' AS name, sum(hashtextextended((to_jsonb(t) - '{sequence,last_sequence}'::text[])::text, 0))::text AS sum FROM ${name} t`,
  );
  const rows = await world.sql(sums.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
