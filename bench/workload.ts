import type { Restorable } from '../test/support/restorables.js';
import type { Call } from './openLoop.js';

const reads = [
  '{ viewer { person { id fullName } } }',
  '{ goals(first: 20) { nodes { id name status champion { id fullName } } } }',
  '{ documents: resourceHubs(first: 5) { nodes { id name nodes(first: 10) { nodes { __typename } } } } }',
];
const restore =
  'mutation ($input: RestoreDocumentVersionInput!) { restoreDocumentVersion(input: $input) { document { id currentVersion } } }';

/** A mix of requests: half reads through GraphQL, a quarter restores through each surface. */
export function workload(token: string, documents: Restorable[]): () => Call {
  const free = [...documents];
  let count = 0;
  const post = (path: string, body: object) => {
    const text = JSON.stringify(body);
    const headers = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Accept: application/graphql-response+json, application/json',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    return `${headers.join('\r\n')}\r\n\r\n${text}`;
  };
  const restoring = (document: Restorable, isRest: boolean): Call => {
    const { id, version } = document;
    const versionNumber = version % 2 === 0 ? 1 : 2;
    const rest = { document_id: id, version_number: versionNumber, expected_current_version: version };
    const variables = { input: { documentId: id, versionNumber, expectedCurrentVersion: version } };
    return {
      bytes: isRest
        ? post('/api/external/v1/documents/restore_document_version', rest)
        : post('/graphql', { query: restore, variables }),
      onAnswer: (status) => {
        if (status === 200) document.version += 1;
        free.unshift(document);
      },
    };
  };
  return () => {
    count += 1;
    const document = count % 2 === 0 ? free.pop() : undefined;
    if (document) return restoring(document, count % 4 === 0);
    return { bytes: post('/graphql', { query: reads[count % reads.length] }) };
  };
}
