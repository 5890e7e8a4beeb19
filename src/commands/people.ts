import { printable } from '../platform/telemetry/index.js';
import type { Config } from '../settings.js';
import { aligned, print, printError, printJson } from './print.js';
import { withDatabase } from './withDatabase.js';

/** More are no list that a person reads; `--json` has all. */
const mostShown = 100;

export async function listPeople(
  config: Config,
  text: string | undefined,
  { company, json = false }: { company?: string; json?: boolean },
): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const found = await db.prisma.person.findMany({
      where: {
        ...(company !== undefined && { companyId: company }),
        ...(text !== undefined && { fullName: { contains: text, mode: 'insensitive' } }),
      },
      select: { id: true, fullName: true, title: true, type: true, isOwner: true, suspendedAt: true, companyId: true },
      orderBy: [{ fullName: 'asc' }, { companyId: 'asc' }, { id: 'asc' }],
      ...(!json && { take: mostShown + 1 }),
    });
    if (json) {
      printJson(found);
      return;
    }
    const rows = found.slice(0, mostShown).map(({ id, fullName, title, type, isOwner, suspendedAt, companyId }) => {
      const kind = [isOwner ? 'owner' : type, suspendedAt && 'suspended'].filter(Boolean).join(', ');
      return [id, fullName, title ?? '', kind, companyId].map(printable);
    });
    print(aligned([['id', 'name', 'title', 'kind', 'company'], ...rows]));
    if (found.length > mostShown)
      printError(`These are the first ${mostShown}: name a part of the name, or use --json.`);
  });
}
