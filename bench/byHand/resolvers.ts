import { authenticate, type Caller, type Input, type Operation, operations } from './operations.js';

interface Context {
  caller: Caller;
}
type Arguments = { input: Input } & Input;

/** The names of the members as GraphQL has them, in place of REST's. */
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const spelled = (sql: string) =>
  sql.replace(/(?<=json_build_object\(|(?<!'(?:parent_type|__typename)'), )'\w+_\w+'(?=, )/g, camelCase);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snakeCased = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [snakeCase(name), value]));

const { restore, reopen, deleteFile, goal, page } = operations(spelled);

/** One statement returns all of a root field; the default resolvers read its JSON. */
const run = async (operation: Operation, { caller }: Context, input: Input) =>
  JSON.parse(await operation(caller, snakeCased(input)));
const change =
  (operation: Operation) =>
  (_root: unknown, { input }: Arguments, context: Context) =>
    run(operation, context, input);

export const resolvers = {
  Query: {
    goal: async (_root: unknown, { id }: Arguments, context: Context) => (await run(goal, context, { id })).goal,
    goals: async (_root: unknown, { first, after }: Arguments, context: Context) => {
      const { nodes, page_info: info } = (await run(page, context, { first, after })).goals;
      return { nodes, pageInfo: { hasNextPage: info.has_next_page, endCursor: info.end_cursor } };
    },
  },
  Mutation: {
    restoreDocumentVersion: change(restore),
    reopenGoal: change(reopen),
    deleteResourceHubFile: change(deleteFile),
  },
};

export const contextOf = async (authorization: string | undefined): Promise<Context> => ({
  caller: await authenticate(authorization),
});
