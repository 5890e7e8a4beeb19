import type { Json, World } from '../../support/world.js';

/** A record that has an access level of its own, or takes it from another one. */
interface Rung {
  kind: string;
  company: string;
  /** The record whose level counts. */
  parent?: string;
  levels?: { space: number; company: number; spaceId: string; heads: (string | null)[] };
  isDeleted: boolean;
  /** By an import: for everybody. */
  isRemoved: boolean;
  /** Of a draft. */
  author?: string;
}

/** Casts where all before are NULL; the others follow. */
const statement = `
  SELECT 'space' AS kind, id, company_id, space_level, company_level, id AS space_id, NULL::text[] AS heads,
      NULL AS parent, NULL::timestamptz AS deleted_at, NULL AS author, removed_at
    FROM spaces UNION ALL
  SELECT 'goal', id, company_id, space_level, company_level, space_id, ARRAY[champion_id, reviewer_id], NULL, NULL, NULL, removed_at
    FROM goals UNION ALL
  SELECT 'project', id, company_id, space_level, company_level, space_id, ARRAY[champion_id, reviewer_id], NULL, NULL, NULL, removed_at
    FROM projects UNION ALL
  SELECT 'hub', id, company_id, NULL, NULL, NULL, NULL, coalesce(space_id, goal_id, project_id), NULL, NULL, removed_at
    FROM resource_hubs UNION ALL
  SELECT 'folder', f.id, h.company_id, NULL, NULL, NULL, NULL, h.id, NULL, NULL, NULL
    FROM resource_hub_folders f JOIN resource_hubs h ON h.id = f.resource_hub_id UNION ALL
  SELECT 'file', f.id, h.company_id, NULL, NULL, NULL, NULL, h.id, f.deleted_at, NULL, f.removed_at
    FROM resource_hub_files f JOIN resource_hubs h ON h.id = f.resource_hub_id UNION ALL
  SELECT 'document', d.id, h.company_id, NULL, NULL, NULL, NULL, h.id, d.deleted_at, CASE WHEN d.state = 'draft' THEN d.author_id END, d.removed_at
    FROM resource_hub_documents d JOIN resource_hubs h ON h.id = d.resource_hub_id UNION ALL
  SELECT 'version', v.id, h.company_id, NULL, NULL, NULL, NULL, d.id, NULL, NULL, NULL
    FROM document_versions v JOIN resource_hub_documents d ON d.id = v.document_id JOIN resource_hubs h ON h.id = d.resource_hub_id`;

/** The access ladder, written a second time: the tests compare what the product shows with what this allows. */
export class Ladder {
  private constructor(
    private readonly rungs: Map<string, Rung>,
    private readonly people: Map<string, Json>,
    private readonly members: Set<string>,
    private readonly grants: Map<string, number>,
  ) {}

  static async read(world: World): Promise<Ladder> {
    const [rows, people, members, grants] = await Promise.all([
      world.sql(statement),
      world.sql('SELECT id, company_id, is_owner, type FROM people'),
      world.sql('SELECT space_id, person_id FROM space_members'),
      world.sql('SELECT coalesce(space_id, goal_id, project_id) AS id, person_id, level FROM access_grants'),
    ]);
    const rungs = rows.map((row): [string, Rung] => [
      row.id,
      {
        kind: row.kind,
        company: row.company_id,
        isDeleted: row.deleted_at !== null,
        isRemoved: row.removed_at !== null,
        ...(row.parent && { parent: row.parent }),
        ...(row.author && { author: row.author }),
        ...(row.space_id && {
          levels: {
            space: row.space_level,
            company: row.company_level,
            spaceId: row.space_id,
            heads: row.heads ?? [],
          },
        }),
      },
    ]);
    return new Ladder(
      new Map(rungs),
      new Map(people.map((row) => [row.id, row])),
      new Set(members.map((row) => `${row.space_id} ${row.person_id}`)),
      new Map(grants.map((row) => [`${row.id} ${row.person_id}`, row.level])),
    );
  }

  /** Whether the record is one whose visibility depends on the caller. */
  has(id: string): boolean {
    return this.rungs.has(id);
  }

  companyOf(id: string): string | undefined {
    return this.rungs.get(id)?.company ?? this.people.get(id)?.company_id;
  }

  levelOf(personId: string, id: string): number {
    return Math.max(0, ...this.waysTo(personId, id));
  }

  /** What the ladder reads of a record and a person, in words: where it is equal, they are in one class. */
  reasonsOf(personId: string, id: string): string {
    const rung = this.rungs.get(id);
    if (!rung) return 'no record';
    const { kind, parent, isDeleted, isRemoved, author } = rung;
    const own = [
      kind,
      isDeleted,
      isRemoved,
      author && author === personId,
      ...(parent ? [] : this.waysTo(personId, id)),
    ];
    return parent ? `${own} in ${this.reasonsOf(personId, parent)}` : String(own);
  }

  /** The level by each way to have one: by a grant, as a head, as an owner, by the space and by the company. */
  private waysTo(personId: string, id: string): number[] {
    const [rung, person] = [this.rungs.get(id), this.people.get(personId)];
    if (!rung || !person || rung.company !== person.company_id || rung.isRemoved) return [];
    if (rung.parent) return this.waysTo(personId, rung.parent);
    const { levels } = rung;
    if (!levels) return [];
    return [
      this.grants.get(`${id} ${personId}`) ?? 0,
      ...levels.heads.map((head) => (head === personId ? 100 : 0)),
      person.is_owner ? 100 : 0,
      this.members.has(`${levels.spaceId} ${personId}`) ? levels.space : 0,
      person.type === 'guest' ? 0 : levels.company,
    ];
  }

  isDeleted(id: string): boolean {
    return this.rungs.get(id)?.isDeleted ?? false;
  }

  /** Whether the record exists for the person, whatever their level: nothing deleted, no other person's draft. */
  exists(personId: string, id: string): boolean {
    const rung = this.rungs.get(id);
    if (!rung || rung.company !== this.people.get(personId)?.company_id || rung.isDeleted || rung.isRemoved)
      return false;
    if (rung.author) return rung.author === personId;
    return !rung.parent || this.exists(personId, rung.parent);
  }

  sees(personId: string, id: string): boolean {
    return this.exists(personId, id) && this.levelOf(personId, id) >= 10;
  }
}
