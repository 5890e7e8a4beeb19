import { getIntrospectionQuery } from 'graphql';
import type { Attack } from './attack.js';
import { aliased, flood, graphqlBody } from './client.js';

const parts = (deep: string) => `name enumValues { name description } ofType { name ${deep} }`;
const type = (inside: string) =>
  `kind name description fields { name description args { name type { ${parts('ofType { name }')} } } type { ${inside} } }`;
const fragment = `fragment S on __Schema { types { ${type(type(parts('ofType { name }')))} } }`;

export const introspections: Attack = {
  title: 'one token asks for all types of all fields of all types, 28 times in each request',
  strike: (target) =>
    flood(target, 10, () => ({
      token: target.token,
      body: graphqlBody(`{ ${aliased(28, '__schema { ...S }')} } ${fragment}`),
    })),
};

const whole = getIntrospectionQuery()
  .replace(/^[\s\S]*?__schema \{/, 'fragment S on __Schema {')
  .replace(/\}(?=\s*fragment)/, '');

export const largestIntrospections: Attack = {
  title: 'one token asks for the whole schema, as often in each request as it may',
  strike: (target) =>
    flood(target, 10, () => ({
      token: target.token,
      body: graphqlBody(`{ ${aliased(4, '__schema { ...S }')} } ${whole}`),
    })),
};

const preview = `{ previewRestoreDocumentVersion(input: { documentId: "mentions", versionNumber: 1 }) {
  wouldChange subscribed { nodes { id } } } }`;

export const mentions: Attack = {
  title: 'one token asks whom a document mentions whose 170,000 nodes each have another key',
  strike: (target) => flood(target, 10, () => ({ token: target.token, body: graphqlBody(preview) })),
};

const differences = `{ resourceHubDocument(id: "long") { version(number: 1) {
  diffToCurrent { content { excerpt { omitted } } } } } }`;
const difference = `{ resourceHubDocument(id: "short") { version(number: 1) {
  diffToCurrent { content { changes { text } } } } } }`;

export const longDifferences: Attack = {
  title:
    'one token asks for differences of long texts on 12 connections; its victim, of the same company, for short ones',
  victim: { company: 'large', person: 'greedy', query: difference },
  strike: (target) => flood(target, 12, () => ({ token: target.token, body: graphqlBody(differences) })),
};

const manyConnections = 200;

export const files: Attack = {
  title: `nobody with a token asks for a file of the pages, on ${manyConnections} connections without a pause`,
  strike: (target) => flood(target, manyConnections, () => ({ path: '/favicon.ico' }), 0),
};

export const healthChecks: Attack = {
  title: `nobody with a token asks whether the gateway is alive, on ${manyConnections} connections without a pause`,
  strike: (target) => flood(target, manyConnections, () => ({ path: '/healthz' }), 0),
};

export const malformedTokens: Attack = {
  title: `tokens that cannot be one, on ${manyConnections} connections without a pause`,
  strike: (target) => flood(target, manyConnections, () => ({ token: 'nonsense', body: '{}' }), 0),
};
