import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { createApp } from '../src/app.js';
import { connect, type Database } from '../src/database/client.js';
import type { Prisma } from '../src/database/generated/client/client.js';
import { createToken } from '../src/database/tokens.js';
import { createDatabase } from './database.js';
import { requireDescribed } from './openapiValidator.js';

export type Json = Record<string, any>;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export const restPaths = {
  reopenGoal: '/api/external/v1/reopen_goal',
  deleteResourceHubFile: '/api/external/v1/delete_resource_hub_file',
  restoreDocumentVersion: '/api/external/v1/documents/restore_document_version',
} as const;

/** The gateway on a database of its own, and everything a test needs to furnish it. */
export class World {
  now = new Date('2026-06-15T12:00:00Z');
  readonly log: Json[] = [];
  readonly app;
  #count = 0;

  constructor(
    readonly db: Database,
    readonly url: string,
    options: Partial<Parameters<typeof createApp>[0]> = {},
  ) {
    const logger = pino({ level: 'info' }, { write: (line: string) => void this.log.push(JSON.parse(line)) });
    this.app = createApp({
      db,
      logger,
      clock: () => this.now,
      appUrl: 'https://work.example.com',
      bodyLimit: 1_048_576,
      ...options,
    });
  }

  name(kind: string) {
    this.#count += 1;
    return `${kind} ${this.#count}`;
  }

  async fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Answer> {
    const response = await this.app.fetch(new Request(`http://gateway.test${path}`, init));
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json');
    const answer = { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : { text } };
    requireDescribed({ method: init.method ?? 'GET', path, ...answer });
    return answer;
  }

  post(path: string, token: string | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  graphql(token: string | null, query: string, variables: Json = {}, headers: Record<string, string> = {}) {
    return this.post('/graphql', token, { query, variables }, headers);
  }

  // ── Furniture ────────────────────────────────────────────────────────────────────────────────────────────────

  async company(): Promise<{ companyId: string }> {
    const { id } = await this.db.company.create({ data: { name: this.name('Company') } });
    return { companyId: id };
  }

  async person(at: { companyId: string }, data: Partial<Prisma.PersonUncheckedCreateInput> = {}) {
    const person = await this.db.person.create({
      data: {
        fullName: this.name('Person'),
        title: 'Engineer',
        email: `${randomUUID()}@example.com`,
        ...data,
        ...pick(at),
      },
    });
    const { token } = await createToken(this.db, { personId: person.id, name: 'write', canWrite: true });
    const { token: readOnlyToken } = await createToken(this.db, { personId: person.id, name: 'read' });
    return { ...person, token, readOnlyToken };
  }

  async space(
    at: { companyId: string },
    members: { id: string }[] = [],
    data: Partial<Prisma.SpaceUncheckedCreateInput> = {},
  ) {
    const space = await this.db.space.create({ data: { name: this.name('Space'), ...data, ...pick(at) } });
    await this.db.spaceMember.createMany({
      data: members.map(({ id }) => ({ companyId: at.companyId, spaceId: space.id, personId: id })),
    });
    return space;
  }

  goal(at: { companyId: string; id: string }, data: Partial<Prisma.GoalUncheckedCreateInput> = {}) {
    return this.db.goal.create({ data: { name: this.name('Goal'), ...data, companyId: at.companyId, spaceId: at.id } });
  }

  closedGoal(at: { companyId: string; id: string }, data: Partial<Prisma.GoalUncheckedCreateInput> = {}) {
    return this.goal(at, { closedAt: new Date('2026-05-01T00:00:00Z'), success: true, ...data });
  }

  project(at: { companyId: string; id: string }, data: Partial<Prisma.ProjectUncheckedCreateInput> = {}) {
    return this.db.project.create({
      data: { name: this.name('Project'), ...data, companyId: at.companyId, spaceId: at.id },
    });
  }

  hub(at: { companyId: string }, parent: { spaceId: string } | { goalId: string } | { projectId: string }) {
    return this.db.resourceHub.create({ data: { name: this.name('Hub'), companyId: at.companyId, ...parent } });
  }

  folder(hub: { id: string }, parentFolderId: string | null = null) {
    return this.db.resourceHubFolder.create({
      data: { name: this.name('Folder'), resourceHubId: hub.id, parentFolderId },
    });
  }

  async file(
    hub: { id: string },
    author: { id: string },
    { size = 1234n, ...data }: Partial<Prisma.ResourceHubFileUncheckedCreateInput> & { size?: bigint } = {},
  ) {
    const blob = await this.db.blob.create({ data: { filename: 'plan.pdf', size, contentType: 'application/pdf' } });
    return this.db.resourceHubFile.create({
      data: { name: this.name('File'), ...data, resourceHubId: hub.id, authorId: author.id, blobId: blob.id },
    });
  }

  /** A published document with one version for each text; the title of version n is `Title n` unless given. */
  async document(
    hub: { id: string },
    author: { id: string },
    contents: string[] = ['one', 'two', 'three'],
    data: Partial<Prisma.ResourceHubDocumentUncheckedCreateInput> = {},
  ) {
    const titles = contents.map((_, index) => `Title ${index + 1}`);
    return this.db.$transaction(async (tx) => {
      const document = await tx.resourceHubDocument.create({
        data: {
          name: titles.at(-1) ?? '',
          content: contents.at(-1) ?? '',
          state: 'published',
          currentVersion: contents.length,
          publishedAt: new Date('2026-02-01T00:00:00Z'),
          ...data,
          resourceHubId: hub.id,
          authorId: author.id,
        },
      });
      await tx.documentVersion.createMany({
        data: contents.map((content, index) => ({
          documentId: document.id,
          versionNumber: index + 1,
          previousVersionNumber: index === 0 ? null : index,
          title: titles[index] ?? '',
          content,
          editorId: author.id,
          origin: index === 0 ? ('published' as const) : ('edited' as const),
        })),
      });
      return document;
    });
  }

  draft(hub: { id: string }, author: { id: string }) {
    return this.db.resourceHubDocument.create({
      data: { name: this.name('Draft'), content: 'not yet', resourceHubId: hub.id, authorId: author.id },
    });
  }

  async subscribe(
    parent: { fileId: string } | { documentId: string } | { threadId: string },
    people: { id: string; canceled?: boolean }[],
    sendToEveryone = false,
  ) {
    return this.db.subscriptionList.create({
      data: {
        ...parent,
        sendToEveryone,
        subscriptions: {
          create: people.map(({ id, canceled = false }) => ({ personId: id, type: 'joined', canceled })),
        },
      },
    });
  }
}

const pick = ({ companyId }: { companyId: string }) => ({ companyId });

/** A world for one test file; gone when the file is done. */
export async function createWorld(options: Partial<Parameters<typeof createApp>[0]> = {}): Promise<World> {
  const { url, drop } = await createDatabase();
  const db = connect({ url, poolSize: 20, preparedStatements: true });
  afterAll(async () => {
    await db.$disconnect();
    await drop();
  });
  return new World(db, url, options);
}
