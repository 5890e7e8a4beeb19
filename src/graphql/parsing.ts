import { type DocumentNode, Kind, type ParseOptions, type Source } from 'graphql';
import { failure } from '../errors/failures.js';
import { quoted, shortened } from '../errors/quoted.js';
import type { DocumentCache } from './documentCache.js';
import { operationOf } from './operation.js';
import { type DocumentLimits, parseDocument } from './parseDocument.js';
import type { Plugin } from './plugin.js';

interface ParsingOptions {
  limits: DocumentLimits;
  documents: DocumentCache;
}

/** From the parameters of a request to the document of its operation. */
export const useParsing = ({ limits, documents }: ParsingOptions): Plugin => ({
  onParse({ params: { source }, context, setParseFn, setParsedDocument }) {
    setParseFn((text: string | Source, options?: ParseOptions) => parseDocument(limits, text, options));
    const known = documents.get(String(source));
    if (known) setParsedDocument(known);
    return ({ result }) => {
      if (!result || result instanceof Error) return;
      const problem = operationProblem(result, context.params.operationName);
      if (problem) throw failure('BAD_REQUEST', { problem });
    };
  },
});

/** What keeps the operation to run from being found. Undefined if it is found. */
function operationProblem(document: DocumentNode, wanted: unknown): string | undefined {
  if (wanted != null && typeof wanted !== 'string') return 'operationName must be a string.';
  if (operationOf(document, wanted)) return undefined;
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation.';
  const names = operations.map((node) =>
    'name' in node && node.name ? quoted(node.name.value) : 'one without a name',
  );
  const listed = `The document has ${shortened(names.join(', '))}.`;
  return wanted == null
    ? `The document has several operations. Name one in operationName. ${listed}`
    : `There is no operation ${quoted(wanted)}. ${listed}`;
}
