// The product's own schema with Apollo Server and Prisma, as their documents teach: a resolver for each relation, through
// Prisma's fluent API, which batches what one tick asks for; interactive transactions; Prisma's own prepared statements.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { PrismaPg } from '@prisma/adapter-pg';
import { GraphQLError } from 'graphql';
import { PrismaClient } from '../../src/generated/client/client.ts';
import { mutations } from './apolloMutations.mjs';
import { resolvers } from './apolloResolvers.mjs';

const names = new Map();
const adapter = new PrismaPg(
  { connectionString: process.env.DATABASE_URL, max: Number(process.env.DATABASE_POOL_SIZE), idleTimeoutMillis: 0 },
  {
    statementNameGenerator: ({ sql }) => {
      if (!names.has(sql) && names.size < 2000) names.set(sql, `s${names.size}`);
      return names.get(sql);
    },
  },
);
const db = new PrismaClient({ adapter, transactionOptions: { maxWait: 60_000, timeout: 60_000 } });
const used = new Map();

async function actorOf(header = '') {
  const [, token] = /^bearer +(gp_[\w-]{43})$/i.exec(header) ?? [];
  const hash = token && Uint8Array.from(createHash('sha256').update(token).digest());
  const found =
    hash && (await db.tokenCompany.findUnique({ where: { hash }, include: { token: { include: { person: true } } } }));
  const row = found?.token;
  if (!row || row.revokedAt || row.person.suspendedAt || (row.expiresAt && row.expiresAt <= new Date())) {
    throw new GraphQLError('The token is missing, unknown, expired or revoked.', {
      extensions: { code: 'UNAUTHENTICATED', http: { status: 401 } },
    });
  }
  const { companyId, id, personId, canWrite } = row;
  if (Date.now() - (used.get(id) ?? 0) > 60_000) {
    used.set(id, Date.now());
    db.apiToken
      .update({ where: { companyId_id: { companyId, id } }, data: { lastUsedAt: new Date() } })
      .catch(() => {});
  }
  return { companyId, personId, canWrite };
}

const server = new ApolloServer({
  typeDefs: readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: { ...resolvers, Mutation: mutations },
  introspection: false,
});
const { url } = await startStandaloneServer(server, {
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
  context: async ({ req }) => ({
    db,
    actor: await actorOf(req.headers.authorization),
    appUrl: process.env.APP_URL,
    now: new Date(),
  }),
});
console.log(url);
process.on('SIGTERM', () => process.exit());
