// Yoga by hand: the product's own schema, one hand-written statement for each root field, default resolvers.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, GraphQLError, isEnumType, isObjectType } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { Failure } from './operations.js';
import { contextOf, resolvers } from './resolvers.js';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
for (const [typeName, fields] of Object.entries(resolvers)) {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`there is no ${typeName}`);
  for (const [name, resolve] of Object.entries(fields)) Object.assign(type.getFields()[name] ?? {}, { resolve });
}
// The database has the names of enum values in lower case.
for (const type of Object.values(schema.getTypeMap())) {
  if (isEnumType(type) && !type.name.startsWith('__')) type.serialize = (value) => String(value).toUpperCase();
}

const shown = (error: unknown) =>
  error instanceof Failure
    ? new GraphQLError(error.message, { extensions: { ...error.extensions, http: { status: error.status } } })
    : error;

const yoga = createYoga({
  schema,
  graphiql: false,
  logging: false,
  landingPage: false,
  maskedErrors: {
    maskError: (error) => shown(error instanceof GraphQLError ? (error.originalError ?? error) : error) as Error,
  },
  context: async ({ request }) => {
    try {
      return await contextOf(request.headers.get('authorization') ?? undefined);
    } catch (error) {
      throw shown(error);
    }
  },
});
const server = createServer(yoga);
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
