import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { catalogue, type ErrorCode, errorCodes } from '../errors/catalogue.js';
import type { Entry } from '../errors/entry.js';
import { exampleOf, graphqlExampleOf } from '../errors/failures.js';
import { headersOf, inRestNames, problemOf, problemType } from '../errors/problem.js';
import type { Route } from '../http/route.js';
import { snakeCase, snakeCased } from '../naming.js';
import { assetRoutes, ownAsset } from './assetRoutes.js';
import { type Html, html } from './html.js';
import { htmlPage } from './htmlPage.js';

const requestId = '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54';

/** `/errors` and `/errors/<code>`: what a failure means and what to do about it, from the catalogue. */
export const errorPages = (publicUrl?: string): Route[] => [
  textPage('/errors', 'Errors', index),
  ...errorCodes.map((code) =>
    textPage(`/errors/${code}`, `${code}: ${catalogue[code].title}`, () => explain(code, publicUrl)),
  ),
  ...assetRoutes('/pages', { 'errors.css': ownAsset('errors.css') }),
];

const textPage = (path: string, title: string, body: () => Html): Route => ({
  path,
  methods: ['GET', 'HEAD'],
  public: true,
  handle: () =>
    htmlPage({
      title,
      styles: ['/pages/errors.css'],
      scripts: [],
      body: html`<main>
${body()}
</main>`,
    }),
});

const index = () => html`<h1>Errors</h1>
<p>Every failure has a <code>code</code>: in a problem (RFC 9457) for REST, in <code>extensions</code> for GraphQL.
Both surfaces use the same codes, statuses and members.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Title</th></tr></thead>
<tbody>
${errorCodes.map((code) => row(html`<a href="/errors/${code}">${code}</a>`, catalogue[code].status, catalogue[code].title))}
</tbody>
</table>
${footer}`;

const row = (...cells: (Html | string | number)[]) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

const footer = html`<p><a href="/errors">All errors</a> · <a href="/docs">REST API</a></p>`;

function explain(code: ErrorCode, publicUrl: string | undefined): Html {
  const entry = catalogue[code];
  return html`<h1>${code}</h1>
<p><strong>${entry.status} ${STATUS_CODES[entry.status] ?? ''}</strong> · ${entry.title}</p>
<h2>What it means</h2>
<p>${entry.meaning}</p>
<h2>What to do</h2>
<p>${entry.remedy}</p>
${members(entry)}
${entry.occurs === 'graphql' ? [] : problemExample('In REST', exampleOf(code), publicUrl)}
${entry.alwaysProblem ? problemExample('In GraphQL', graphqlExampleOf(code), publicUrl) : graphqlExample(code)}
${footer}`;
}

function members({ members: always = {}, optionalMembers = {} }: Entry): Html | Html[] {
  const all = Object.entries({ ...always, ...optionalMembers });
  if (all.length === 0) return [];
  return html`<h2>Members</h2>
<table>
<thead><tr><th>REST</th><th>GraphQL</th><th>Meaning</th></tr></thead>
<tbody>
${all.map(([name, { description }]) => {
  const when = name in optionalMembers ? ' Only if it is known.' : '';
  return row(html`<code>${snakeCase(name)}</code>`, html`<code>${name}</code>`, `${description}${when}`);
})}
</tbody>
</table>`;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

function problemExample(heading: string, failure: GraphQLError, publicUrl: string | undefined): Html {
  const problem = problemOf(inRestNames(failure), requestId, publicUrl);
  const headers = Object.entries({ ...headersOf(failure), 'Content-Type': problemType });
  return html`<h2>${heading}</h2>
<pre>HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}
${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}

${json(snakeCased(problem))}</pre>`;
}

function graphqlExample(code: ErrorCode): Html {
  const { message, extensions } = graphqlExampleOf(code);
  const { http: _, ...members } = extensions;
  return html`<h2>In GraphQL</h2>
<pre>${json({ errors: [{ message, extensions: { ...members, requestId } }] })}</pre>
<p>GraphQL adds <code>locations</code> and <code>path</code> to an error that concerns a part of the document.</p>`;
}
