import type { Database } from '../database/query/client.js';
import { failure } from '../errors/failures.js';
import { jsonResponse } from './response.js';
import type { Route } from './route.js';

/** Whether the database responds. */
export const responds = (db: Database): Promise<boolean> =>
  db.$queryRaw`SELECT 1`.then(
    () => true,
    () => false,
  );

/** `/healthz` returns 200 while the process runs; `/readyz` returns 503 while it stops or the database does not respond. */
export const healthRoutes = (db: Database, stopping?: AbortSignal): Route[] => [
  {
    path: '/healthz',
    methods: ['GET', 'HEAD'],
    public: true,
    unlimited: true,
    handle: () => jsonResponse({ status: 'ok' }),
  },
  {
    path: '/readyz',
    methods: ['GET', 'HEAD'],
    public: true,
    unlimited: true,
    async handle(_request, { scope }) {
      if (stopping?.aborted || !(await responds(db.within(scope)))) throw failure('SERVICE_UNAVAILABLE');
      return jsonResponse({ status: 'ok', database: 'ok' });
    },
  },
];
