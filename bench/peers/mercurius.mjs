// Mercurius by hand: on Fastify, with its JIT; the product's own schema, one hand-written statement for each root field,
// default resolvers. What a Node engineer writes for whom speed comes first.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, resolvers } from '../byHand/resolvers.ts';

const schema = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
// The database has the names of enum values in lower case.
const serialize = (value) => String(value).toUpperCase();
const enums = Object.fromEntries([...schema.matchAll(/^enum (\w+)/gm)].map(([, name]) => [name, { serialize }]));

const app = fastify();
app.register(mercurius, {
  schema,
  resolvers: { ...enums, ...resolvers },
  jit: 1,
  context: async (request) => {
    try {
      return await contextOf(request.headers.authorization);
    } catch (error) {
      throw Object.assign(error, { statusCode: error.status });
    }
  },
});
console.log(await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }));
process.on('SIGTERM', () => process.exit());
