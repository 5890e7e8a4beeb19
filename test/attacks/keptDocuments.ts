import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSchema, type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { startBuiltGateway } from '../support/builtGateway.js';
import { pathOf } from '../support/documents.js';
import { busy } from './busy.js';
import { AttackClient, aliased, type flood } from './client.js';
import { RandomDocuments, subjects, textOf } from './randomDocument.js';
import { setScene } from './scene.js';

// Searches for what a gateway keeps of documents, as worstDocuments.ts does for the time that they take: sends documents
// that are made to be kept, of all kinds in turn or of some, and compares its memory with what it needs when it is busy:
// `npx tsx test/attacks/keptDocuments.ts [--documents 100000] [--heap 256] [kind …]`. Prints a Markdown table.

const { values, positionals } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    heap: { type: 'string', default: '256' },
    seconds: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});
const requests = Number(values.documents);
const heap = Number(values.heap);
const atOnce = 8;
/** A document that is refused has its own status, so that it shows. */
const honest = { accept: 'application/graphql-response+json' };

/** What a caller sends: a document and what else is its own choice. */
interface Sent {
  params: { query?: string; documentId?: string; variables?: object; operationName?: string };
  headers?: Record<string, string>;
}

/** Makes the request with a number. */
type Kind = (number: number) => Sent;

/** Long names, and about the largest documents that are cached in such a heap: a 1,024th of it, 500 bytes a token. */
const longName = 'n'.repeat(190);
const mostTokens = Math.min(3_800, Math.floor(((heap * 2 ** 20) / 1_024 / 500) * 0.8));
/** A document is kept from its second use on, and its plans and statements from then on. */
const uses = 4;

const chance = () => Math.random() < 0.5;
const list = (length: number, make: (index: number) => string) => Array.from({ length }, (_, index) => make(index));
const names = (count: number) => list(count, (index) => `${longName}${index}`);

/**
 * A document with so many variables that decide what is selected, beneath a field that is left out or not. If it is, the
 * response is empty, so that counting what is selected finds nothing.
 */
function conditional(tokens: number, isLeftOut: boolean, mark: number) {
  const variables = names(Math.min(240, Math.floor(tokens / 17)));
  const declared = variables.map((name) => `$${name}: Boolean!`).join(' ');
  const fields = ['id', 'fullName', 'email', 'title'];
  const selected = variables.map((name, index) => `... @skip(if: $${name}) { ${fields[index % fields.length]} }`);
  const query = `query ($out: Boolean! ${declared}) { o${mark}: viewer @skip(if: $out) { person { ${selected.join(' ')} } } }`;
  return {
    query,
    random: () => ({ out: isLeftOut, ...Object.fromEntries(variables.map((name) => [name, chance()])) }),
  };
}

const leftOut = list(10, String).map((mark) => conditional(mostTokens, true, Number(mark)));
const selecting = list(10, String).map((mark) => conditional(mostTokens, false, Number(mark)));
const few = list(2_000, String).map((mark) => conditional(100, Number(mark) % 2 === 0, Number(mark)));
const of = <Item>(items: readonly Item[], number: number) => items[number % items.length] as Item;

const schema = buildSchema(await readFile(pathOf('schema.graphql'), 'utf8'));
const random = new RandomDocuments(schema, subjects);
/** Some fields of a type, and some of the types of these. */
function someOf(type: GraphQLObjectType, levels: number): string {
  const chosen = Object.values(type.getFields()).flatMap(({ name, type: of, args }) => {
    const inner = getNamedType(of);
    if (args.length > 0 || chance()) return [];
    if (isLeafType(inner)) return [name];
    return isObjectType(inner) && levels > 1 ? [`${name} { ${someOf(inner, levels - 1)} }`] : [];
  });
  return ['__typename', ...chosen].join(' ');
}
const goalType = schema.getType('Goal') as GraphQLObjectType;
const last = { goal: '', random: '' };

const kinds: Record<string, Kind> = {
  'variables beneath a field that is left out': (number) => {
    const { query, random: draw } = of(leftOut, number);
    return { params: { query, variables: draw() } };
  },
  'variables beneath a field that is selected': (number) => {
    const { query, random: draw } = of(selecting, number);
    return { params: { query, variables: draw() } };
  },
  'a few variables in many documents': (number) => {
    const { query, random: draw } = of(few, number);
    return { params: { query, variables: draw() } };
  },
  'persisted documents with variables': (number) => ({
    params: { documentId: `d${number % selecting.length}`, variables: of(selecting, number).random() },
  }),
  'persisted documents whose field is left out': (number) => ({
    params: { documentId: `o${number % leftOut.length}`, variables: of(leftOut, number).random() },
  }),
  'the same field many times': (number) => ({
    params: { query: `{ a${Math.floor(number / uses)}: viewer { person { ${'id '.repeat(mostTokens - 10)} } } }` },
  }),
  'aliases with long names': (number) => ({
    params: {
      query: `{ viewer { person { ${list(28, (index) => `${longName}${Math.floor(number / uses)}_${index}: id`).join(' ')} } } }`,
    },
  }),
  'fragments with long names': (number) => {
    const mark = Math.floor(number / uses);
    const fragments = list(Math.min(90, Math.floor(mostTokens / 12)), (index) => `${longName}_${index}_`);
    const definitions = fragments.map((name) => `fragment ${name} on Person { id fullName }`).join(' ');
    return {
      params: {
        query: `{ a${mark}: viewer { person { ${fragments.map((name) => `...${name}`).join(' ')} } } } ${definitions}`,
      },
    };
  },
  'operations with long names': (number) => {
    const operations = names(Math.min(90, Math.floor(mostTokens / 12)));
    const query = operations.map((name) => `query ${name} { a${Math.floor(number / 500)}: viewer { person { id } } }`);
    return { params: { query: query.join(' '), operationName: of(operations, number) } };
  },
  'the fields of a goal, other ones each time': (number) => {
    if (number % uses === 0) last.goal = someOf(goalType, 2);
    return { params: { query: `{ goal(id: "own") { ${last.goal} } }` } };
  },
  'random documents': (number) => {
    if (number % uses === 0) last.random = `{ ${textOf(random.draw())} }`;
    return { params: { query: last.random } };
  },
  'page sizes and filters in variables': (number) => ({
    params: {
      query: `query ($first: Int, $text: String) { goals(first: $first, filter: {text: $text}) { nodes { id } } }`,
      variables: { first: 1 + (number % 3), text: `${number}`.padEnd(100, 'x'), [`more${number}`]: 'x'.repeat(10_000) },
    },
  }),
  'long headers': (number) => ({
    params: { query: '{ viewer { person { id } } }' },
    headers: {
      accept: `application/json,${`a/${number % 90_000},`.repeat(1_500).slice(0, 12_000)}`,
      'x-request-id': `${longName}${number}`,
    },
  }),
  'aliases of one list': (number) => ({
    params: {
      query: `{ ${aliased(8, `goals(first: 1) { nodes { a${Math.floor(number / uses)}: id name space { id name } champion { id } } }`)} }`,
    },
  }),
};
const chosen = positionals.length > 0 ? positionals : Object.keys(kinds);
const scene = await setScene();
const directory = await mkdtemp(join(tmpdir(), 'goalpost-kept-'));
const persisted = join(directory, 'documents.json');
const entries = [
  ...selecting.map(({ query }, index) => [`d${index}`, query]),
  ...leftOut.map(({ query }, index) => [`o${index}`, query]),
];
await writeFile(persisted, JSON.stringify(Object.fromEntries(entries)));

interface Figures {
  most: number;
  atEnd: number;
  isAlive: boolean;
  outcomes: Record<string, number>;
}

/** What a gateway of its own needs while it is attacked. */
async function measure(
  token: string,
  strike: (target: Parameters<typeof flood>[0]) => Promise<void>,
): Promise<Figures> {
  const gateway = await startBuiltGateway({
    DATABASE_URL: scene.url,
    PERSISTED_DOCUMENTS: persisted,
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
  });
  const outcomes: Record<string, number> = {};
  let isAlive = true;
  let most = gateway.megabytes();
  const measuring = setInterval(() => {
    most = Math.max(most, gateway.megabytes() || 0);
  }, 50);
  gateway.exited.then(() => {
    isAlive = false;
  });
  await strike({
    base: gateway.base,
    token,
    writeToken: '',
    moreTokens: [],
    isOver: () => !isAlive,
    count: (outcome) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
  });
  clearInterval(measuring);
  const figures = { most, atEnd: isAlive ? gateway.megabytes() : Number.NaN, isAlive, outcomes };
  if (isAlive) await gateway.stop();
  return figures;
}

/** How many documents of each kind were not answered. */
const refused: Record<string, number> = {};

const beBusy = async () =>
  measure(await scene.issue('large', 'greedy'), async (target) => {
    const until = performance.now() + Number(values.seconds) * 1_000;
    await busy.strike({ ...target, isOver: () => target.isOver() || performance.now() > until });
  });

/** From a company with few records: what is kept of documents does not depend on what they find. */
const sendAll = async (makers: readonly Kind[]) =>
  measure(await scene.issue('other', 'victim'), async (target) => {
    const client = new AttackClient(target, atOnce);
    let sent = 0;
    const one = async () => {
      while (sent < requests && !target.isOver()) {
        const number = sent++;
        // Each kind has numbers without gaps, so that its documents are used again.
        const { params, headers } = of(makers, number)(Math.floor(number / makers.length));
        const status = await client.send({
          token: target.token,
          body: JSON.stringify(params),
          headers: { ...honest, ...headers },
        });
        const name = of(chosen, number);
        if (status !== 200) refused[name] = (refused[name] ?? 0) + 1;
        if (sent % 10_000 === 0) console.error(`${sent} sent`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  });

try {
  const { most } = await beBusy();
  console.log(`Busy, in a heap of ${heap} MB: ${most} MB\n`);
  console.log('| Documents | Responses | Memory | ÷ busy | Gateway |\n|---|---|---|---|---|');
  const makers = chosen.map((name) => {
    const kind = kinds[name];
    if (!kind) throw new Error(`there is no kind ${name}; there are ${Object.keys(kinds).join('; ')}`);
    return kind;
  });
  const figures = await sendAll(makers);
  const title = positionals.length > 0 ? chosen.join('; ') : 'all kinds in turn';
  const counts = Object.entries(figures.outcomes).map(([outcome, count]) => `${count} × ${outcome}`);
  console.log(
    `| ${requests}: ${title} | ${counts.join(', ')} | ${figures.most} MB, at the end ${figures.atEnd} MB | ${(figures.most / most).toFixed(2)} | ${figures.isAlive ? 'serves' : '**gone**'} |`,
  );
  if (Object.keys(refused).length > 0) console.log('\nNot answered:', refused);
} finally {
  await rm(directory, { recursive: true });
  await scene.stop();
}
