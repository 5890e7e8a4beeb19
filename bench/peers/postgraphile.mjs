// PostGraphile 5 with its Amber preset on the product's tables, as its documents teach: row level security, computed
// columns and custom mutations in postgraphile.sql; the token is checked before PostGraphile sees the request.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { GraphQLError } from 'graphql';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  idleTimeoutMillis: 0,
});
const { rows } = await pool.query(`SELECT to_regproc('caller_company') AS found`);
if (rows[0].found === null) await pool.query(readFileSync(new URL('postgraphile.sql', import.meta.url), 'utf8'));

const tokenSql = `SELECT t.id, t.company_id, t.person_id, t.can_write FROM token_companies c
  JOIN api_tokens t ON t.company_id = c.company_id AND t.hash = c.hash JOIN people p ON p.company_id = t.company_id AND p.id = t.person_id
  WHERE c.hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND p.suspended_at IS NULL`;
const usedSql = 'UPDATE api_tokens SET last_used_at = now() WHERE company_id = $1 AND id = $2';
const used = new Map();

async function callerOf(header = '') {
  const [, token] = /^bearer +(gp_[\w-]{43})$/i.exec(header) ?? [];
  if (!token) return undefined;
  const values = [createHash('sha256').update(token).digest()];
  const row = (await pool.query({ name: 'token', text: tokenSql, values })).rows[0];
  if (row && Date.now() - (used.get(row.id) ?? 0) > 60_000) {
    used.set(row.id, Date.now());
    pool.query(usedSql, [row.company_id, row.id]).catch(() => {});
  }
  return row;
}

const preset = {
  extends: [PostGraphileAmberPreset],
  // It would offer no order by columns without an index of their own.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  schema: { defaultBehavior: 'list connection', pgForbidSetofFunctionsToReturnNull: true },
  grafast: {
    context: ({ node }) => {
      const { company_id, person_id, can_write } = node.req.caller;
      return {
        pgSettings: {
          role: 'bench_caller',
          'app.company_id': company_id,
          'app.person_id': person_id,
          'app.can_write': String(can_write),
          'app.url': process.env.APP_URL,
        },
      };
    },
  },
  grafserv: {
    graphiql: false,
    websockets: false,
    maskError(error) {
      const { code, message, detail } = error.originalError ?? {};
      if (!/^GP\d+$/.test(code ?? '')) {
        console.error(error.originalError ?? error);
        return new GraphQLError('An error occurred');
      }
      return new GraphQLError(message, { ...error, extensions: { code: message, detail } });
    },
  },
};

const serv = postgraphile(preset).createServ(grafserv);
await serv.getSchema();
const handle = serv.createHandler();
const server = createServer(async (request, response) => {
  request.caller = await callerOf(request.headers.authorization);
  if (request.caller) return handle(request, response);
  response.writeHead(401, { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer' });
  response.end(JSON.stringify({ errors: [{ message: 'Unknown token', extensions: { code: 'UNAUTHENTICATED' } }] }));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit());
