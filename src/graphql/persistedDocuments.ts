import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { failure } from '../errors/failures.js';
import type { Plugin } from './plugin.js';

export interface PersistedDocuments {
  /** GraphQL documents by identifier; a document may have several. */
  documents: ReadonlyMap<string, string>;
  /** Whether clients may run these documents only. REST is not affected. */
  only: boolean;
}

/** The request parameter that identifies a document; an addition to those of GraphQL over HTTP. */
const documentIdParameter = 'documentId';

/**
 * Runs the operator's documents by identifier: the `documentId` of a request, or the hash that clients for automatic
 * persisted queries send. A request cannot add documents. Decisions: "Persisted documents".
 */
export const usePersistedDocuments = ({ documents, only }: PersistedDocuments) =>
  usePersistedOperations({
    allowArbitraryOperations: !only,
    getPersistedOperation: (id) => documents.get(id) ?? null,
    extractPersistedOperationId: (params) => identifierIn(params) ?? null,
    customErrors: {
      notFound: ({ params }) => notFound(params),
      keyNotFound: () => failure('BAD_REQUEST'),
      persistedQueryOnly: () => failure('PERSISTED_DOCUMENT_REQUIRED'),
    },
  });

/**
 * Where there are no persisted documents: asks clients for automatic persisted queries, which send the hash of a
 * document first, so that they send the document.
 */
export const useNoPersistedDocuments = (): Plugin => ({
  onParams({ params }) {
    if (!params.query && automaticHashIn(params) !== undefined) throw notFound(params);
  },
});

const notFound = (params: object) =>
  failure('PERSISTED_QUERY_NOT_FOUND', documentIdParameter in params ? { identifier: identifierIn(params) } : {});

function identifierIn(params: object): string | undefined {
  if (documentIdParameter in params) return typeof params.documentId === 'string' ? params.documentId : undefined;
  return automaticHashIn(params);
}

/** The hash that a client for automatic persisted queries sends. */
function automaticHashIn(params: object): string | undefined {
  const { extensions } = params as { extensions?: { persistedQuery?: { sha256Hash?: unknown } } | null };
  const hash = extensions?.persistedQuery?.sha256Hash;
  return typeof hash === 'string' ? hash : undefined;
}
