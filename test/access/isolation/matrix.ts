import type { Answer, Json, World } from '../../support/world.js';
import type { Caller } from './callers.js';
import { type Canaries, foundIn } from './canaries.js';
import type { Ladder } from './ladder.js';
import type { Need } from './policy.js';
import type { Target } from './records.js';

interface Asked {
  body?: Json;
  /** What the answer may repeat. */
  sent?: string[];
  headers?: Record<string, string>;
}

const statuses: Record<string, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  READ_ONLY_TOKEN: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  GOAL_ARCHIVED: 409,
  CANNOT_BE_UNDONE: 409,
};

export const statusOf = (code: string) => statuses[code] ?? 200;

/** Asks for one cell after the other, and collects what is not as the policy says. */
export class Matrix {
  requests = 0;
  cells = 0;
  readonly #asked = new Map<string, { caller: Caller; sent: string[] }>();

  constructor(
    private readonly world: World,
    private readonly canaries: { ours: Canaries; theirs: Canaries },
  ) {}

  /** Sends a request, and fails if the answer has anything of a company that is not the caller's. */
  async ask(caller: Caller, method: string, path: string, { body, sent = textsIn(body), headers = {} }: Asked = {}) {
    const id = `cell-${++this.requests}`;
    this.#asked.set(id, { caller, sent });
    const answer = await this.world.fetch(path, {
      method,
      headers: {
        ...(path === '/graphql' && { accept: 'application/graphql-response+json' }),
        'x-request-id': id,
        ...(body && { 'content-type': 'application/json' }),
        ...(caller.token && { authorization: `Bearer ${caller.token}` }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = JSON.stringify([answer.body, ...answer.headers]);
    const found = this.foreignTo(caller).flatMap((company) => foundIn(text, company, sent));
    if (found.length > 0) throw new Error(`${caller.name}, ${method} ${path} ${JSON.stringify(body)}: shows ${found}`);
    return answer;
  }

  graphql(caller: Caller, query: string, variables: Json = {}, sent = textsIn(variables)): Promise<Answer> {
    return this.ask(caller, 'POST', '/graphql', { body: { query, variables }, sent });
  }

  /** What is in the log and must not be: any text of a record, and ids that the caller neither sent nor owns. */
  leaksInLog(): string[] {
    return this.world.log.flatMap((line) => {
      const text = JSON.stringify(line);
      const asked = this.#asked.get(line.requestId);
      const foreign = asked ? this.foreignTo(asked.caller) : [];
      const { ours, theirs } = this.canaries;
      const words = [ours, theirs].flatMap(({ word }) => foundIn(text, { word, ids: new Set(), silent: [] }));
      const ids = foreign.flatMap((company) => foundIn(text, company));
      return [...words, ...ids].map((found) => `${found} in ${text}`);
    });
  }

  private foreignTo({ company }: Caller): Canaries[] {
    const { ours, theirs } = this.canaries;
    return company === 'none' ? [ours, theirs] : [company === 'ours' ? theirs : ours];
  }
}

/** Every text of a request's body, also inside rich text. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** What the policy says about one cell: the code of the failure, or OK. */
export function expected(ladder: Ladder, { person }: Caller, need: Need, { id, state }: Target): string {
  if (person === null) return 'UNAUTHENTICATED';
  const level = ladder.levelOf(person, id);
  if (level < 10 || !(need.findsDeleted || ladder.exists(person, id))) return 'NOT_FOUND';
  if (level < need.level) return 'FORBIDDEN';
  return need.states?.[state] ?? 'OK';
}

/** The rest of a failure, as it would be for any other id. */
export const likeFor = (failure: Json, id: string): string =>
  JSON.stringify(failure)
    .replaceAll(`${id}-created`, id)
    .replaceAll(JSON.stringify(JSON.stringify(id)).slice(1, -1), 'ID')
    .replace(/"request_?id":"[^"]*"/i, '"requestId":"…"');
