import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { createApp } from '../../src/app.js';
import { type OwnDatabase, openModels } from '../../src/database.js';
import { eventSource } from '../../src/events/source.js';
import type { Prisma } from '../../src/generated/client/client.js';
import { type Operation, operations } from '../../src/operations/index.js';
import { NodeServer } from '../../src/platform/http/server.js';
import { Dispatcher } from '../../src/platform/outbox/dispatcher.js';
import { numberEvents } from '../../src/platform/outbox/sequence.js';
import { Streams } from '../../src/platform/outbox/streams.js';
import { retryConflicts } from '../../src/platform/postgres/connections.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { TextWorker } from '../../src/platform/texts/index.js';
import { type Config, readConfig } from '../../src/settings.js';
import { createToken } from '../../src/tokens.js';
import { Client } from './client.js';
import { noted, noteStatements, unboundScans } from './companyBinding.js';
import { asAdministrator, createDatabase } from './database.js';
import { fetchAt } from './fetchAt.js';
import { holding } from './holding.js';
import { preparedStatements } from './pgbouncer.js';

/** What `JSON.parse` returns. A test may read any path in it, and a wrong path fails the test. */
export type Json = ReturnType<typeof JSON.parse>;

type At = { companyId: string };
type Subject = { fileId: string } | { documentId: string } | { threadId: string } | { commentId: string };
type Options = Partial<
  Omit<Parameters<typeof createApp>[0], 'queryLimits'> & ConstructorParameters<typeof NodeServer>[0]
> & {
  /** Replaces the defaults of some or all. */
  queryLimits?: Partial<Config['queryLimits']>;
  streaming?: Partial<ConstructorParameters<typeof Streams>[0]>;
};

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export const restPaths = Object.fromEntries(
  operations.map(({ field, rest }) => [field, `/api/external/v1${rest.path}`]),
) as Record<Operation['field'], `/api/external/v1/${string}`>;

/** The levels of what is open to its whole company. */
export const openLevels = { companyLevel: 70, spaceLevel: 100 };

/** Of all gateways of a worker, so that its thread starts once. */
const texts = new TextWorker('text/thread', createLogger('warn'), { use: 30_000, wait: 60_000 });

/** What the worlds of a database share, as to connect costs more than most tests. */
interface Connections {
  /** Of a role that may do everything. */
  aside: pg.Pool;
  /** Of gateways that have ended, for others with as many. */
  spare: Map<number, OwnDatabase[]>;
  /** How many worlds may still use them. */
  users: number;
}

const connections = new Map<string, Connections>();

function connectionsTo(url: string): Connections {
  const known = connections.get(url);
  if (known) return known;
  const aside = new pg.Pool({ connectionString: asAdministrator(url), max: 4, idleTimeoutMillis: 0 });
  aside.on('error', () => {});
  const opened = { aside, spare: new Map(), users: 0 };
  connections.set(url, opened);
  return opened;
}

/** A gateway on its own database, with the role of `goalpost roles`, and everything a test needs to fill it. */
export class World extends Client {
  now = new Date('2026-06-15T12:00:00Z');
  readonly log: Json[] = [];
  /** Those that this file has made. */
  readonly companies: string[] = [];
  readonly app;
  /** Numbers events and wakes streams, once it is started. */
  readonly dispatcher: Dispatcher;
  readonly streams: Streams;
  readonly #connections: Connections;
  readonly #twins: { twin: World; giveBack: () => void }[] = [];
  readonly #server;
  #count = 0;
  #isDispatching = false;

  constructor(
    readonly db: OwnDatabase,
    readonly url: string,
    options: Options = {},
  ) {
    super();
    this.#connections = connectionsTo(url);
    this.#connections.users += 1;
    const logger = createLogger('info', { write: (line: string) => void this.log.push(JSON.parse(line)) });
    this.dispatcher = new Dispatcher(db, eventSource, logger);
    const streaming = { most: 100, timeout: 30_000, ...options.streaming };
    this.streams = new Streams({ db, source: eventSource, dispatcher: this.dispatcher, logger, ...streaming });
    const config = readConfig({});
    this.app = createApp({
      ...config,
      db,
      streams: this.streams,
      onChange: (companyId) => void (this.#isDispatching && this.dispatcher.changed(companyId)),
      logger,
      clock: () => this.now,
      appUrl: 'https://work.example.com',
      // The machine that runs the tests may be slow.
      databaseTimeouts: { response: 30_000 },
      texts,
      ...options,
      queryLimits: { ...config.queryLimits, ...options.queryLimits },
    });
    this.#server = new NodeServer({ app: this.app, logger, ...options }).server;
  }

  /** Another gateway on the same database, with its own connection pool. */
  twin(poolSize = 8): World {
    const { db, giveBack } = this.borrow(poolSize);
    const twin = new World(db, this.url);
    this.#twins.push({ twin, giveBack });
    return twin;
  }

  /** A connection pool of another process. */
  borrow(poolSize: number): { db: OwnDatabase; giveBack: () => void } {
    const { spare } = this.#connections;
    const unused = spare.get(poolSize) ?? [];
    spare.set(poolSize, unused);
    const db = unused.pop() ?? openNoted(this.url, poolSize);
    return { db, giveBack: () => void unused.push(db) };
  }

  async close(): Promise<void> {
    this.dispatcher.stop();
    for (const { twin, giveBack } of this.#twins) await twin.close().then(giveBack);
    this.#server.closeAllConnections();
    this.#server.close();
    this.#connections.users -= 1;
    if (this.#connections.users > 0) return;
    connections.delete(this.url);
    const { aside, spare } = this.#connections;
    await Promise.all([aside.end(), ...[...spare.values()].flat().map((db) => db.$disconnect())]);
  }

  /** Numbers events from now on, and sends them to streams. */
  startDispatcher(): void {
    this.#isDispatching = true;
    this.dispatcher.start();
  }

  /** The address of the gateway, which starts to listen with the first request. */
  override async base(): Promise<string> {
    if (!this.#server.listening) this.#server.listen(0, '127.0.0.1');
    while (!this.#server.listening) await setImmediate();
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Runs SQL on connections of its own, without the gateway and as a role that may do everything. */
  async sql(text: string, values: unknown[] = []): Promise<Json[]> {
    return (await retryConflicts(() => this.#connections.aside.query(text, values))).rows;
  }

  /** A transaction that holds what the SQL locks until it is released, or the test is over. */
  holding(sql: string, values: unknown[] = []) {
    return holding(asAdministrator(this.url), sql, values);
  }

  /** Holds a lock for which every change of a goal waits, until the function that it returns is called. */
  async holdGoals(): Promise<() => Promise<void>> {
    return (await this.holding('LOCK TABLE goals IN SHARE MODE')).release;
  }

  /** Until a statement waits for what another transaction has locked. */
  async untilOneWaits(): Promise<void> {
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await this.sql(waiting)).length).toBeGreaterThan(0);
  }

  name(kind: string) {
    this.#count += 1;
    return `${kind} ${this.#count}`;
  }

  /** Sends a request as a client does that knows this gateway under the host of the URL. */
  async fetchAt(input: string | Request, init?: RequestInit): Promise<Response> {
    return fetchAt(await this.base(), new Request(input, init));
  }

  // ── Factories ────────────────────────────────────────────────────────────────────────────────────────────────

  async company(): Promise<At> {
    const { id } = await this.db.company.create({ data: { name: this.name('Company') } });
    this.companies.push(id);
    return { companyId: id };
  }

  async person({ companyId }: At, data: Partial<Prisma.PersonUncheckedCreateInput> = {}) {
    const person = await this.db.person.create({
      data: {
        fullName: this.name('Person'),
        title: 'Engineer',
        email: `${randomUUID()}@example.com`,
        ...data,
        companyId,
      },
    });
    const { token } = await createToken(this.db, { companyId, personId: person.id, name: 'write', canWrite: true });
    const { token: readOnlyToken } = await createToken(this.db, { companyId, personId: person.id, name: 'read' });
    return { ...person, token, readOnlyToken };
  }

  /** Creates many people at once, without tokens. Returns their ids. */
  async crowd({ companyId }: At, count: number): Promise<string[]> {
    const rows = await this.sql(
      `INSERT INTO people (company_id, full_name, title)
       SELECT $1, 'Person ' || lpad(n::text, 5, '0'), 'Engineer' FROM generate_series(1, $2) n RETURNING id`,
      [companyId, count],
    );
    return rows.map(({ id }) => id);
  }

  /** A company with a space whose one member has full access to what is in it. */
  async team() {
    const company = await this.company();
    const caller = await this.person(company);
    return { company, caller, space: await this.space(company, [caller]) };
  }

  async space({ companyId }: At, members: { id: string }[] = [], data: Partial<Prisma.SpaceUncheckedCreateInput> = {}) {
    const space = await this.db.space.create({ data: { name: this.name('Space'), ...data, companyId } });
    await this.db.spaceMember.createMany({
      data: members.map(({ id }) => ({ companyId, spaceId: space.id, personId: id })),
    });
    return space;
  }

  goal({ companyId, id: spaceId }: At & { id: string }, data: Partial<Prisma.GoalUncheckedCreateInput> = {}) {
    return this.db.goal.create({ data: { name: this.name('Goal'), ...openLevels, ...data, companyId, spaceId } });
  }

  closedGoal(space: At & { id: string }, data: Partial<Prisma.GoalUncheckedCreateInput> = {}) {
    return this.goal(space, { closedAt: new Date('2026-05-01T00:00:00Z'), success: true, ...data });
  }

  project({ companyId, id: spaceId }: At & { id: string }, data: Partial<Prisma.ProjectUncheckedCreateInput> = {}) {
    return this.db.project.create({ data: { name: this.name('Project'), ...openLevels, ...data, companyId, spaceId } });
  }

  grant(
    { companyId }: At,
    { id: personId }: { id: string },
    level: number,
    on: { spaceId: string } | { goalId: string } | { projectId: string },
  ) {
    return this.db.accessGrant.create({ data: { companyId, personId, level, ...on } });
  }

  hub({ companyId }: At, parent: { spaceId: string } | { goalId: string } | { projectId: string }) {
    return this.db.resourceHub.create({ data: { name: this.name('Hub'), companyId, ...parent } });
  }

  /** A team, and a hub of a space or of a goal or project in it, with whatever access the data gives. */
  async teamWithHub(parent: 'space' | 'goal' | 'project', data: Json = {}) {
    const team = await this.team();
    if (parent === 'space') {
      const space = await this.space(team.company, [team.caller], data);
      return { ...team, space, hub: await this.hub(team.company, { spaceId: space.id }) };
    }
    const { id } = await this[parent](team.space, data);
    return { ...team, hub: await this.hub(team.company, parent === 'goal' ? { goalId: id } : { projectId: id }) };
  }

  folder({ companyId, id: resourceHubId }: At & { id: string }, parentFolderId: string | null = null) {
    return this.db.resourceHubFolder.create({
      data: { companyId, name: this.name('Folder'), resourceHubId, parentFolderId },
    });
  }

  async file(
    { companyId, id: resourceHubId }: At & { id: string },
    author: { id: string },
    {
      size = 1234n,
      filename = 'plan.pdf',
      ...data
    }: Partial<Prisma.ResourceHubFileUncheckedCreateInput> & { size?: bigint; filename?: string } = {},
  ) {
    const blob = await this.db.blob.create({
      data: { companyId, filename, size, contentType: 'application/pdf' },
    });
    return this.db.resourceHubFile.create({
      data: { name: this.name('File'), ...data, companyId, resourceHubId, authorId: author.id, blobId: blob.id },
    });
  }

  /** A published document with one version for each text; the title of version n is `Title n`, and the last one's the name, unless given. */
  async document(
    { companyId, id: resourceHubId }: At & { id: string },
    author: { id: string },
    texts: (string | { title: string; content: string })[] = ['one', 'two', 'three'],
    data: Partial<Prisma.ResourceHubDocumentUncheckedCreateInput> = {},
  ) {
    const titleOf = (index: number) => (index === texts.length - 1 && data.name) || `Title ${index + 1}`;
    const versions = texts.map((text, index) =>
      typeof text === 'string' ? { title: titleOf(index), content: text } : text,
    );
    const { title: name = '', content = '' } = versions.at(-1) ?? {};
    const { publicToken } = data;
    return this.db.prisma.$transaction(async (tx) => {
      if (publicToken) await tx.publicLink.create({ data: { companyId, token: publicToken } });
      const document = await tx.resourceHubDocument.create({
        data: {
          name,
          content,
          state: 'published',
          currentVersion: versions.length,
          publishedAt: new Date('2026-02-01T00:00:00Z'),
          ...data,
          companyId,
          resourceHubId,
          authorId: author.id,
        },
      });
      await tx.documentVersion.createMany({
        data: versions.map((version, index) => ({
          ...version,
          companyId,
          documentId: document.id,
          versionNumber: index + 1,
          previousVersionNumber: index === 0 ? null : index,
          editorId: author.id,
          origin: index === 0 ? ('published' as const) : ('edited' as const),
        })),
      });
      return document;
    });
  }

  draft(
    { companyId, id: resourceHubId }: At & { id: string },
    author: { id: string },
    data: Partial<Prisma.ResourceHubDocumentUncheckedCreateInput> = {},
  ) {
    return this.db.resourceHubDocument.create({
      data: { name: this.name('Draft'), content: 'not yet', ...data, companyId, resourceHubId, authorId: author.id },
    });
  }

  /** An activity, as another program records it that shares the database. */
  activity(
    { companyId, id: authorId }: At & { id: string },
    data: Omit<Prisma.ActivityUncheckedCreateInput, 'companyId' | 'authorId' | 'name'> & { name?: string },
  ) {
    return this.db.activity.create({ data: { name: 'Name', ...data, companyId, authorId } });
  }

  /** Many of them at once. */
  async activities({ companyId, id: authorId }: At & { id: string }, goalId: string, count: number): Promise<void> {
    await this.sql(
      `INSERT INTO activities (company_id, action, author_id, goal_id, name)
       SELECT $1, 'goal_closed', $2, $3, n::text FROM generate_series(1, $4::int) n`,
      [companyId, authorId, goalId, count],
    );
  }

  /** Gives the activities their numbers, at most 200 at a time. */
  numberEvents(companyId: string) {
    return numberEvents(this.db, eventSource, companyId);
  }

  comment({ companyId, id: authorId }: At & { id: string }, on: Subject) {
    return this.db.comment.create({ data: { content: 'Nice', ...on, companyId, authorId } });
  }

  reaction({ companyId, id: personId }: At & { id: string }, on: Subject) {
    return this.db.reaction.create({ data: { emoji: '👍', ...on, companyId, personId } });
  }

  async subscribe(
    { companyId, ...parent }: At & ({ fileId: string } | { documentId: string } | { threadId: string }),
    people: { id: string; canceled?: boolean }[],
    sendToEveryone = false,
  ) {
    return this.db.subscriptionList.create({
      data: {
        companyId,
        ...parent,
        sendToEveryone,
        subscriptions: {
          create: people.map(({ id, canceled = false }) => ({ personId: id, type: 'joined', canceled })),
        },
      },
    });
  }
}

function openNoted(url: string, poolSize: number): OwnDatabase {
  const db = openModels({ url, poolSize, preparedStatements });
  noteStatements(db);
  return db;
}

async function openDatabase(from?: string) {
  const { gatewayUrl: url, drop } = await createDatabase(from);
  return { db: openNoted(url, 20), url, drop };
}

/** The one that the files of a worker use one after the other, with the connections to it. */
async function openShared() {
  const opened = await openDatabase();
  connectionsTo(opened.url).users += 1;
  return opened;
}

let shared: ReturnType<typeof openDatabase> | undefined;

interface Sharing {
  /** On a database of its own. The fast tests share one where each makes its own companies, and leaves the tables as they are. */
  isAlone?: boolean;
  /** The name of the database of which it has a copy. */
  from?: string;
}

/** A world for one test file. */
export async function createWorld({
  from,
  isAlone = from !== undefined || !process.env.SHARED_DATABASE,
  ...options
}: Options & Sharing = {}): Promise<World> {
  const opened = isAlone ? openDatabase(from) : (shared ?? openShared());
  if (!isAlone) shared = opened;
  const { db, url, drop } = await opened;
  const world = new World(db, url, options);
  afterAll(async () => {
    await world.close();
    const unbound = await unboundScans(url, noted);
    if (isAlone) await db.$disconnect().then(drop);
    expect(unbound, 'scans that do not bind the company to a value').toEqual([]);
  });
  return world;
}

/** Fills a database to copy. Returns its name, with what the filling returns. */
export async function fillDatabase<Filled>(fill: (world: World) => Promise<Filled>) {
  const { db, url } = await openDatabase();
  const world = new World(db, url);
  const filled = await fill(world);
  await world.close();
  await db.$disconnect();
  return { from: new URL(url).pathname.slice(1), ...filled };
}

/** A rich text that mentions people, each one level deeper than the one before. */
export function mentioning(...ids: unknown[]): string {
  let content: Json[] = [];
  for (const id of ids.reverse()) {
    const mention = { type: 'mention', attrs: { id, label: 'Someone' } };
    content = [{ type: 'paragraph', content: [{ type: 'text', text: 'Hi' }, mention, ...content] }];
  }
  return JSON.stringify({ type: 'doc', content });
}
