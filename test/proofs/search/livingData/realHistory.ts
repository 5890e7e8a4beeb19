import pg from 'pg';
import { acknowledge, type ExportedFile, exportChanges } from '../../../../docs/application/exporter.js';
import { takeInEvents } from '../../../../docs/application/reader.js';
import { eventKind } from '../../../../src/events/event.js';
import { eventSource } from '../../../../src/events/source.js';
import { readCursor } from '../../../../src/lists/engine.js';
import { numberEvents } from '../../../../src/platform/outbox/sequence.js';
import { createToken } from '../../../../src/tokens.js';
import { streamSource } from '../../../../src/workspace/file.js';
import { importFrom } from '../../../../src/workspace/import.js';
import { ImportError, UnknownChangesError } from '../../../../src/workspace/report.js';
import { createEmptyDatabase } from '../../../support/database.js';
import { textOf } from '../../../support/documents.js';
import { mutation } from '../../../support/surfaces.js';
import type { World } from '../../../support/world.js';
import type { Action } from './histories.js';
import type { Records } from './model.js';

const tables = [
  ...['people', 'space_members', 'goals', 'goal_access', 'folders', 'files', 'documents', 'versions'],
  ...['changes', 'events'],
];

const firstRows = `
  INSERT INTO people VALUES ('p1', 'p1'), ('p2', 'p2');
  INSERT INTO goals VALUES ('g1', 'g1', '2026-01-01Z', 'owner', true), ('g2', 'g2', NULL, NULL, NULL);
  INSERT INTO goal_access VALUES ('g1', 'p1');
  INSERT INTO folders VALUES ('d1', 'd1'), ('d2', 'd2');
  INSERT INTO files VALUES ('f1', 'f1', 'd1', NULL, NULL), ('f2', 'f2', NULL, now(), 'owner');
  INSERT INTO documents VALUES ('k1', 'd1');
  INSERT INTO versions VALUES ('k1', 1, 'one', 'one');
  UPDATE sent SET revision = 0;
  UPDATE taken_in SET cursor = NULL`;

/** The rows of both sides, in the words of the model, or `isExact` with all times and persons. */
const recordsQuery = (of: Record<string, string>, isExact = false) => `
  SELECT jsonb_build_object(
    'people', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name)), '{}') FROM (${of.people}) p),
    'goals', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name, 'access', access,
      'closed', to_char(closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')${isExact ? ", 'at', closed_at, 'by', closed_by, 'success', success" : ''})), '{}') FROM (${of.goals}) g),
    'folders', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name)), '{}') FROM (${of.folders}) f),
    'files', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name, 'folder', folder,
      'deleted', deleted_at IS NOT NULL${isExact ? ", 'at', deleted_at, 'by', deleted_by" : ''})), '{}') FROM (${of.files}) f),
    'documents', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('folder', folder, 'versions', versions)), '{}')
      FROM (${of.documents}) d)) AS records`;

const versionOf = (isExact: boolean, editor: string, at: string) =>
  `jsonb_build_object('text', v.content, 'from', ${isExact ? `v.restored, 'by', v.${editor}, 'at', v.${at}` : 'v.restored'})`;

export const ofGateway = (isExact = false) =>
  recordsQuery(
    {
      people:
        "SELECT id, full_name AS name FROM people WHERE company_id = $1 AND suspended_at IS NULL AND id <> 'owner'",
      goals: `SELECT id, name, closed_at, closed_by_id AS closed_by, success, (
          SELECT coalesce(jsonb_agg(a.person_id ORDER BY a.person_id), '[]') FROM access_grants a
          WHERE a.company_id = $1 AND a.goal_id = g.id) AS access
        FROM goals g WHERE company_id = $1 AND removed_at IS NULL`,
      folders: 'SELECT id, name FROM resource_hub_folders WHERE company_id = $1',
      files: `SELECT id, name, parent_folder_id AS folder, deleted_at, deleted_by_id AS deleted_by
        FROM resource_hub_files WHERE company_id = $1 AND removed_at IS NULL`,
      documents: `SELECT id, parent_folder_id AS folder, (
          SELECT jsonb_agg(${versionOf(isExact, 'editor_id', 'inserted_at')} ORDER BY v.version_number)
          FROM (SELECT *, restored_from_version_number AS restored FROM document_versions) v
          WHERE v.company_id = $1 AND v.document_id = d.id) AS versions
        FROM resource_hub_documents d WHERE company_id = $1 AND deleted_at IS NULL`,
    },
    isExact,
  );

export const ofApplication = (isExact = false) =>
  recordsQuery(
    {
      people: 'SELECT id, name FROM people',
      goals: `SELECT id, name, closed_at, closed_by, success, (
          SELECT coalesce(jsonb_agg(a.person_id ORDER BY a.person_id), '[]') FROM goal_access a WHERE a.goal_id = g.id
        ) AS access FROM goals g`,
      folders: 'SELECT id, name FROM folders',
      files: 'SELECT id, name, folder_id AS folder, deleted_at, deleted_by FROM files',
      documents: `SELECT id, folder_id AS folder, (
          SELECT jsonb_agg(${versionOf(isExact, 'editor', 'written_at')} ORDER BY v.number)
          FROM (SELECT *, restored_from AS restored FROM versions) v WHERE v.document_id = d.id) AS versions FROM documents d`,
    },
    isExact,
  );

interface Side {
  records: Records;
}

/** What both sides have, in the words of the model. */
export interface State {
  gateway: Side;
  application: Side & { sequence: number; changes: string[] };
}

const kindOf: Record<string, string> = {
  person: 'people',
  goal: 'goals',
  folder: 'folders',
  file: 'files',
  document: 'documents',
};

/** A gateway, and the application of the documents with its own database, on which histories are played. */
export class RealHistories {
  #count = 0;
  #companyId = '';
  #token = '';
  #network: ExportedFile[] = [];
  #acknowledgements: (() => Promise<void>)[] = [];
  /** Files that did not know an event. */
  refused = 0;

  private constructor(
    readonly world: World,
    readonly client: pg.Client,
    readonly close: () => Promise<void>,
  ) {}

  static async open(world: World): Promise<RealHistories> {
    const { directUrl, drop } = await createEmptyDatabase();
    const client = new pg.Client(directUrl);
    await client.connect();
    await client.query(textOf('docs/application/schema.sql'));
    return new RealHistories(world, client, async () => {
      await client.end();
      await drop();
    });
  }

  /** Begins a history: an application with the model's first records, and a company of the gateway that has them. */
  async begin(): Promise<void> {
    this.#count += 1;
    this.#companyId = `acme-${this.#count}`;
    [this.#network, this.#acknowledgements, this.refused] = [[], [], 0];
    await this.client.query(`TRUNCATE ${tables.join()}; ${firstRows}`);
    const file = await exportChanges(this.client, { isWhole: true });
    if (!file) throw new Error('there is nothing to load');
    await this.#import(file);
    await acknowledge(this.client, file);
    const of = { companyId: this.#companyId, personId: 'owner', name: 'application', canWrite: true };
    this.#token = (await createToken(this.world.db, of)).token;
  }

  async state(): Promise<State> {
    const [gateway] = await this.world.sql(ofGateway(), [this.#companyId]);
    const { rows } = await this.client.query(ofApplication());
    const taken = await this.client.query<{ cursor: string | null }>('SELECT cursor FROM taken_in');
    const cursor = taken.rows[0]?.cursor;
    const changes = await this.client.query<{ kind: string; id: string }>('SELECT kind, id FROM changes');
    return {
      gateway: { records: gateway.records },
      application: {
        records: rows[0].records,
        // The model has no events of imports, which bring versions.
        sequence: await this.#operationsUpTo(cursor ? Number(readCursor(eventKind, cursor)?.key) : 0),
        changes: changes.rows.map(({ kind, id }) => `${kindOf[kind]}/${id}`).sort(),
      },
    };
  }

  async #operationsUpTo(sequence: number): Promise<number> {
    const [row] = await this.world.sql(
      `SELECT count(*)::integer AS count FROM activities WHERE company_id = $1 AND origin <> 'import' AND sequence <= $2`,
      [this.#companyId, sequence],
    );
    return row.count;
  }

  async play(action: Action): Promise<void> {
    const { client } = this;
    switch (action.do) {
      case 'reopen':
        return this.#operate('reopenGoal', { id: action.id });
      case 'delete':
        return this.#operate('deleteResourceHubFile', { fileId: action.id });
      case 'recover':
        return this.#operate('recoverResourceHubFile', { fileId: action.id });
      case 'restore': {
        const [document] = await this.world.sql(
          'SELECT current_version FROM resource_hub_documents WHERE company_id = $1 AND id = $2',
          [this.#companyId, action.id],
        );
        const expectedCurrentVersion = document?.current_version ?? 1;
        const input = { documentId: action.id, versionNumber: action.from, expectedCurrentVersion };
        return this.#operate('restoreDocumentVersion', input);
      }
      case 'number':
        await numberEvents(this.world.db, eventSource, this.#companyId);
        return;
      case 'send': {
        const file = await exportChanges(client);
        if (file) this.#network.push(file);
        return;
      }
      case 'deliver':
      case 'repeat':
        return this.#deliver(action.index % Math.max(1, this.#network.length), action.do === 'repeat');
      case 'lose':
        this.#network.splice(action.index % Math.max(1, this.#network.length), 1);
        return;
      case 'acknowledge':
        await this.#acknowledgements.splice(action.index % Math.max(1, this.#acknowledgements.length), 1)[0]?.();
        return;
      case 'loseAcknowledgement':
        this.#acknowledgements.splice(action.index % Math.max(1, this.#acknowledgements.length), 1);
        return;
      case 'take':
        return this.#take(client);
      case 'takeAndDie': {
        const query = (text: string, ...rest: unknown[]) =>
          text === 'COMMIT' ? Promise.reject(new Error('killed')) : client.query(text, rest[0] as unknown[]);
        return this.#take({ query } as unknown as pg.Client).catch((error) => {
          if (error.message !== 'killed') throw error;
        });
      }
      default:
        return this.#change(action);
    }
  }

  async #take(client: pg.ClientBase): Promise<void> {
    await takeInEvents(client, { gateway: await this.world.base(), token: this.#token }, 1);
  }

  async #operate(field: Parameters<typeof mutation>[0], input: object): Promise<void> {
    const { body } = await this.world.graphql(this.#token, mutation(field, '__typename'), { input });
    const code = body.errors?.[0]?.extensions.code;
    if (code && code !== 'NOT_FOUND') throw new Error(JSON.stringify(body.errors));
  }

  async #import(file: ExportedFile) {
    const text = file.text.replaceAll('"acme"', `"${this.#companyId}"`);
    const source = streamSource(() => [Buffer.from(text)]);
    return importFrom(this.world.db, source, { update: true, shown: 1000 });
  }

  async #deliver(index: number, isRepeated: boolean): Promise<void> {
    const [file] = isRepeated ? this.#network.slice(index) : this.#network.splice(index, 1);
    if (!file) return;
    const report = await this.#import(file).catch((error) => {
      if (error instanceof UnknownChangesError) {
        this.refused += 1;
        return undefined;
      }
      if (error instanceof ImportError && /^revision: must be higher/.test(error.problems[0] ?? '')) return undefined;
      throw error;
    });
    if (!report || report.isRepeated) return;
    this.#acknowledgements.push(() => acknowledge(this.client, file));
  }

  /** What people do in the application. */
  async #change(action: Action): Promise<void> {
    const run = (text: string, ...values: unknown[]) => this.client.query(text, values);
    await run('BEGIN');
    switch (action.do) {
      case 'close':
        await run(
          `UPDATE goals SET closed_at = $2::text::date AT TIME ZONE 'UTC',
             closed_by = CASE WHEN $2::text IS NOT NULL THEN 'owner' END,
             success = CASE WHEN $2::text IS NOT NULL THEN true END WHERE id = $1`,
          action.id,
          action.closed,
        );
        break;
      case 'rename':
        await run(`UPDATE ${action.kind} SET name = $2 WHERE id = $1`, action.id, action.name);
        break;
      case 'share':
        await run('UPDATE goals SET name = name WHERE id = $1', action.id);
        await run('DELETE FROM goal_access WHERE goal_id = $1', action.id);
        await run(
          'INSERT INTO goal_access SELECT g.id, p.id FROM goals g, people p WHERE g.id = $1 AND p.id = ANY ($2)',
          action.id,
          action.access,
        );
        break;
      case 'add':
        await run(`INSERT INTO ${action.kind} (id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING`, action.id);
        break;
      case 'edit':
        await run('SELECT id FROM documents WHERE id = $1 FOR UPDATE', action.id);
        await run(
          `INSERT INTO versions SELECT d.id, max(v.number) + 1, $2, $2 FROM documents d JOIN versions v ON v.document_id = d.id
           WHERE d.id = $1 GROUP BY d.id`,
          action.id,
          action.text,
        );
        break;
      case 'hide':
        await run(
          `UPDATE files SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END,
             deleted_by = CASE WHEN deleted_at IS NULL THEN 'owner' END WHERE id = $1`,
          action.id,
        );
        break;
      case 'move':
        await run(
          `UPDATE ${action.kind} SET folder_id = (SELECT id FROM folders WHERE id = $2) WHERE id = $1`,
          action.id,
          action.folder,
        );
        break;
      case 'remove':
        if (action.kind === 'folders')
          for (const table of ['files', 'documents'])
            await run(`UPDATE ${table} SET folder_id = NULL WHERE folder_id = $1`, action.id);
        await run(`DELETE FROM ${action.kind} WHERE id = $1`, action.id);
        break;
    }
    await run('COMMIT');
  }
}
