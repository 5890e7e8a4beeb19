import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { RestoreDocumentVersionDocument } from './generated/operations.js';

const [base, token = '', documentId = ''] = process.argv.slice(2);

async function request<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

const { restoreDocumentVersion } = await request(RestoreDocumentVersionDocument, {
  input: { documentId, versionNumber: 1, expectedCurrentVersion: 3 },
});
const { document, restoredVersion } = restoreDocumentVersion;
const state: 'DRAFT' | 'PUBLISHED' = document.state;
const from: number | null | undefined = restoredVersion?.restoredFromVersionNumber;

// @ts-expect-error a variable of the wrong type does not compile
const wrong = () => request(RestoreDocumentVersionDocument, { input: { documentId: 1 } });

console.log(
  JSON.stringify({ name: document.name, state, current: document.currentVersion, from, wrong: typeof wrong }),
);
