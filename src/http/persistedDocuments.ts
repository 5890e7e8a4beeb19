import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { failure } from '../errors/failures.js';

export interface PersistedDocuments {
  /** Text of each GraphQL document by its identifiers. */
  documents: ReadonlyMap<string, string>;
  /** Whether these are the only documents that run. REST's own are not asked. */
  only: boolean;
}

/** The parameter that names a document, beside those GraphQL over HTTP has always. */
const documentIdParameter = 'documentId';

/**
 * Runs the documents the operator gave by their identifier: as `documentId`, or as the hash that clients for automatic
 * persisted queries send. Nobody adds documents by a request. Decisions: "Persisted documents".
 */
export const usePersistedDocuments = ({ documents, only }: PersistedDocuments) =>
  usePersistedOperations({
    allowArbitraryOperations: !only,
    getPersistedOperation: (id) => documents.get(id) ?? null,
    extractPersistedOperationId: (params) => identifierIn(params) ?? null,
    customErrors: {
      notFound: ({ params }) => failure('PERSISTED_QUERY_NOT_FOUND', { identifier: identifierIn(params) }),
      keyNotFound: () => failure('BAD_REQUEST'),
      persistedQueryOnly: () => failure('PERSISTED_DOCUMENT_REQUIRED'),
    },
  });

function identifierIn(params: object): string | undefined {
  if (documentIdParameter in params) return typeof params.documentId === 'string' ? params.documentId : undefined;
  const { extensions } = params as { extensions?: { persistedQuery?: { sha256Hash?: unknown } } | null };
  const hash = extensions?.persistedQuery?.sha256Hash;
  return typeof hash === 'string' ? hash : undefined;
}
