import { createToken } from '../../../src/tokens.js';
import type { World } from '../../support/world.js';
import type { Company } from './company.js';

/** Someone who asks. */
export interface Caller {
  name: string;
  token: string | null;
  /** The id of the person, if the token is good. */
  person: string | null;
  company: 'ours' | 'theirs' | 'none';
  canWrite: boolean;
}

/** Everyone who may ask for our company's records, down to those with no token. */
export async function callersOf(world: World, ours: Company, theirs: Company): Promise<Caller[]> {
  // Those who may most come first.
  const { suspended, owner, full, ...others } = ours.people;
  const people = { owner, full, ...others };
  const member = (name: string, { id, token }: { id: string; token: string }, more: Partial<Caller> = {}): Caller => ({
    name,
    token,
    person: id,
    company: 'ours',
    canWrite: true,
    ...more,
  });
  const stranger = (name: string, token: string | null): Caller => ({
    name,
    token,
    person: null,
    company: 'none',
    canWrite: false,
  });
  const issue = (name: string, expiresAt?: Date) =>
    createToken(world.db, {
      companyId: people.full.companyId,
      personId: people.full.id,
      name,
      canWrite: true,
      ...(expiresAt && { expiresAt }),
    });
  const [revoked, expired] = [await issue('revoked'), await issue('expired', new Date(Date.now() - 60_000))];
  await world.sql('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [revoked.id]);
  return [
    ...Object.entries(people).map(([name, person]) => member(name, person)),
    member('full, with a read-only token', { ...people.full, token: people.full.readOnlyToken }, { canWrite: false }),
    member('the owner of another company', theirs.people.owner, { company: 'theirs' }),
    stranger('suspended', suspended.token),
    stranger('full, with a revoked token', revoked.token),
    stranger('full, with an expired token', expired.token),
    stranger('with an unknown token', `gp_${'a'.repeat(43)}`),
    stranger('without a token', null),
  ];
}
