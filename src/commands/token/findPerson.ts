import type { Database } from '../../database/query/client.js';
import { UsageError } from '../usageError.js';

/** Finds the person with this id, which people of several companies may share. */
export async function findPerson(db: Database, id: string, companyId: string | undefined) {
  const people = await db.person.findMany({
    where: { id, ...(companyId !== undefined && { companyId }) },
    select: { companyId: true, fullName: true, suspendedAt: true },
    orderBy: { companyId: 'asc' },
    take: 10,
  });
  const [person, ...others] = people;
  const named = `the id ${JSON.stringify(id)}`;
  if (!person) {
    const where = companyId === undefined ? '' : ' of this company';
    throw new UsageError(`no person${where} has ${named}${await someIds(db, companyId)}`);
  }
  if (others.length === 0) return person;
  const companies = people.map((found) => JSON.stringify(found.companyId)).join(', ');
  throw new UsageError(`people of several companies have ${named}; add --company with one of: ${companies}`);
}

/** A few ids of people, for who does not know any. */
async function someIds(db: Database, companyId: string | undefined): Promise<string> {
  const where = { suspendedAt: null, ...(companyId !== undefined && { companyId }) };
  const people = await db.person.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: 3 });
  if (people.length === 0) return '; there is nobody yet: see npx goalpost import';
  return `; ids that exist: ${people.map(({ id }) => JSON.stringify(id)).join(', ')}`;
}
