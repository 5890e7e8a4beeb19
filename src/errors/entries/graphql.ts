import { entry } from '../entry.js';
import { quoted } from '../quoted.js';

/** The GraphQL document is invalid, or the server does not run it. */
export const graphqlErrors = {
  GRAPHQL_PARSE_FAILED: entry<{ problem: string }>({
    status: 400,
    title: 'The GraphQL document has a syntax error',
    meaning: 'The server could not parse the GraphQL document. Nothing was run.',
    remedy: 'Correct the document at the position given in locations.',
    detail: ({ problem }) => problem,
    example: { problem: 'Syntax Error: Expected Name, found "}".' },
    occurs: 'graphql',
  }),
  GRAPHQL_VALIDATION_FAILED: entry<{ problem: string }>({
    status: 400,
    title: 'The GraphQL document does not match the schema',
    meaning:
      'The document selects something that the schema does not have, or omits something that it requires. Nothing was run.',
    remedy: 'Compare the document with the schema. The message suggests the nearest name.',
    detail: ({ problem }) => problem,
    example: { problem: 'Cannot query field "nam" on type "Goal". Did you mean "name"?' },
    occurs: 'graphql',
  }),
  BAD_REQUEST: entry<{ problem?: string; isBatch?: boolean }>({
    status: 400,
    title: 'The GraphQL request is invalid',
    meaning:
      'The request is not one JSON object with a query, one of its parts or variables has the wrong type, or it selects an ' +
      'operation that the server cannot run. Nothing was run.',
    remedy: 'Send {"query": "…", "variables": {…}, "operationName": "…"}. Only query is required.',
    detail: ({ problem = 'Send one JSON object with a query or a documentId.', isBatch }) =>
      isBatch ? 'Batches are not supported. Send each operation in a request of its own.' : problem,
    example: {},
    occurs: 'graphql',
  }),
  QUERY_TOO_COMPLEX: entry<{ exceeded: readonly { limit: string; actual?: number; maximum: number }[] }>({
    status: 400,
    title: 'The GraphQL request is too complex',
    meaning:
      'The document exceeds a limit on complexity, depth, aliases, tokens, definitions, repetitions or mutation ' +
      'fields, or the response has too many list items or too much text. Nothing was changed.',
    remedy:
      'Select fewer fields or request smaller pages. To get the cost of a request in extensions.cost, send the header ' +
      'GraphQL-Cost: report with it.',
    detail: ({ exceeded }) =>
      `The request exceeds the limit on ${exceeded
        .map(({ limit, actual, maximum }) =>
          actual === undefined ? `${limit} (more than ${maximum})` : `${limit} (${actual} of at most ${maximum})`,
        )
        .join(' and on ')}.`,
    example: { exceeded: [{ limit: 'complexity', actual: 10_201, maximum: 10_000 }] },
    members: {
      exceeded: {
        type: 'array',
        description: 'Every limit that the request exceeds.',
        items: {
          type: 'object',
          description: 'One limit.',
          properties: {
            limit: {
              type: 'string',
              description:
                'The limit: complexity, depth, aliases, tokens, definitions, repetitions, mutations, items or ' +
                'characters.',
            },
            actual: {
              type: 'integer',
              description: 'The value that the request reaches; absent if counting stopped early.',
            },
            maximum: { type: 'integer', description: 'The highest allowed value.' },
          },
        },
      },
    },
    occurs: 'graphql',
  }),
  PERSISTED_DOCUMENT_REQUIRED: entry({
    status: 403,
    title: 'Only persisted documents are allowed',
    meaning:
      'The server runs only the GraphQL documents that its operator has registered. This request contains a different ' +
      'document. Nothing was run.',
    remedy: 'Send the documentId of a persisted document instead of a query, or use the REST paths.',
    detail: () => 'This server runs only persisted documents. Send a documentId instead of a query.',
    example: {},
    occurs: 'graphql',
  }),
  PERSISTED_QUERY_NOT_FOUND: entry<{ identifier?: string | undefined }>({
    status: 404,
    title: 'The persisted document was not found',
    meaning: 'The server has no persisted GraphQL document with this identifier. Nothing was run.',
    remedy:
      'Check the identifier, or send the document itself as the query if the server allows it. Clients for automatic ' +
      'persisted queries do so automatically.',
    // Clients for automatic persisted queries recognize this word, and then send the document.
    detail: ({ identifier }) =>
      identifier === undefined
        ? 'PersistedQueryNotFound'
        : `No persisted document has the identifier ${quoted(identifier)}.`,
    example: { identifier: 'sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e' },
    occurs: 'graphql',
  }),
};
