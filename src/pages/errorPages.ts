import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { catalogue, errorCodes, exampleOf, graphqlExampleOf } from '../errors/catalogue.js';
import { type Entry, type ErrorCode, headersOf, problemType } from '../platform/failures/index.js';
import { type HttpResponse, publicRoute, type Route, snakeCase } from '../platform/http/index.js';
import { restProblem } from '../rest/routes.js';
import { keptPages } from './assetRoutes.js';
import { codeBlock, filterField, filterScript, type Html, html, htmlPage, inline, statusBadge } from './html.js';
import type { PageOptions } from './options.js';

const requestId = '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54';

/** What a failure means, what to do about it, and how it looks on both surfaces. */
function explainedError(code: ErrorCode, publicUrl: string | undefined): Html {
  const entry = catalogue[code];
  return html`<h1>${breakable(code)}</h1>
<p class="lead">${statusBadge(entry.status)} <strong>${STATUS_CODES[entry.status] ?? ''}</strong> · ${entry.title}</p>
<h2>What it means</h2>
<p class="prose">${inline(entry.meaning)}</p>
<h2>What to do</h2>
<p class="prose">${inline(entry.remedy)}</p>
${howTo[code]}
${members(entry)}
${entry.occurs === 'graphql' ? [] : problemExample('In REST', exampleOf(code), publicUrl)}
${entry.alwaysProblem ? problemExample('In GraphQL', graphqlExampleOf(code), publicUrl) : graphqlExample(code)}
<p class="onward"><a href="/errors">All errors</a> · <a href="/guide/errors#retries">Retries</a> · <a href="/guide/errors#rate-limits">Limits</a></p>
`;
}

/** How to get the token that a request lacks. */
const howTo: Partial<Record<ErrorCode, Html>> = {
  UNAUTHENTICATED: howToCreateToken(''),
  READ_ONLY_TOKEN: howToCreateToken('--write'),
};

function howToCreateToken(option: string): Html {
  const command = `npx goalpost token create --person PERSON_ID --name NAME ${option}`.trimEnd();
  return html`<div class="stack">
<p class="prose">On the server, this prints a token of that person${option && ', which may change things'}:</p>
${codeBlock('How to create a token', command)}
<p class="prose">The demo has its tokens in <code>demo-tokens.json</code> in its data folder, <code>.data</code>: one
may change things (<code>write</code>), one may only read (<code>readOnly</code>).</p>
</div>`;
}

/** A code that may break after each of its words, where it is wider than the page. */
const breakable = (code: string): Html[] => code.split(/(?<=_)/).map((word) => html`${word}<wbr>`);

function members({ members: always = {}, optionalMembers = {} }: Entry): Html | Html[] {
  const all = Object.entries({ ...always, ...optionalMembers });
  if (all.length === 0) return [];
  return html`<h2>Members</h2>
<ul class="fields">
${all.map(([name, { description }]) => {
  const graphqlName = snakeCase(name) !== name && html`<span class="type">in GraphQL <code>${name}</code></span>`;
  const when = name in optionalMembers ? ' Only if it is known.' : '';
  return html`<li><p><span class="name"><code>${snakeCase(name)}</code></span> ${graphqlName}</p><p>${inline(description)}${when}</p></li>
`;
})}</ul>`;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

function problemExample(heading: string, failure: GraphQLError, publicUrl: string | undefined): Html {
  const { status, problem } = restProblem(failure, requestId, publicUrl);
  const headers = Object.entries({ ...headersOf(failure), 'Content-Type': problemType });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    json(problem),
  ];
  return html`<h2>${heading}</h2>
${codeBlock(heading, lines.join('\n'))}
`;
}

function graphqlExample(errorCode: ErrorCode): Html {
  const { message, extensions } = graphqlExampleOf(errorCode);
  const { http: _, ...shown } = extensions;
  return html`<h2>In GraphQL</h2>
<div class="stack">
${codeBlock('In GraphQL', json({ errors: [{ message, extensions: { ...shown, requestId } }] }))}
<p class="prose">GraphQL adds <code>locations</code> and <code>path</code> to an error that concerns a part of the
document.</p>
</div>
`;
}

/** `/errors` and `/errors/<code>`: what a failure means and what to do about it, from the catalogue. */
export function errorPages({ publicUrl, hasPage }: PageOptions): Route[] {
  const kept = keptPages(errorCodes.length + 1);
  const errorPage = (path: string, title: string, body: () => Html): Route =>
    publicRoute(path, () =>
      kept(path, () =>
        htmlPage({
          title: `${title} – Goalpost`,
          path,
          hasPage,
          modules: path === '/errors' ? [filterScript] : [],
          body: html`<main id="main">
${body()}</main>`,
        }),
      ),
    );
  return [
    errorPage('/errors', 'Errors', index),
    ...errorCodes.map((code) =>
      errorPage(`/errors/${code}`, `${code}: ${catalogue[code].title}`, () => explainedError(code, publicUrl)),
    ),
  ];
}

const index = () => html`<h1>Errors</h1>
<p class="lead">Every failure has a <code>code</code>: in a problem (RFC 9457) for REST, in <code>extensions</code> for
GraphQL. Both surfaces use the same codes, statuses and members. <a href="/guide/errors#retries">When to retry</a></p>
${filterField('codes and statuses')}${[...new Set(errorCodes.map((code) => catalogue[code].status))].map(ofStatus)}`;

const ofStatus = (status: number): Html => html`<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${statusBadge(status)} ${STATUS_CODES[status] ?? ''}</h2>
<ul class="rows">
${errorCodes
  .filter((code) => catalogue[code].status === status)
  .map(
    (code) => html`<li><a href="/errors/${code}">${code}</a><span>${catalogue[code].title}</span></li>
`,
  )}</ul>
</section>
`;

/** What a browser shows for a path that does not exist, or that is for programs only. */
export function noPage({ hasPage }: PageOptions) {
  return (error: GraphQLError, path: string): HttpResponse => {
    const isUnknown = error.extensions.code === 'NOT_FOUND';
    const heading = isUnknown ? 'This page does not exist' : 'This path is for programs';
    const page = htmlPage({
      title: `${heading} – Goalpost`,
      path,
      hasPage,
      status: isUnknown ? 404 : 405,
      body: html`<main id="main">
<h1>${heading}</h1>
<div class="stack">
<p class="lead">${error.message}</p>
<p><a href="/">Go to the start page</a></p>
</div>
</main>`,
    });
    return { ...page, headers: { ...page.headers, ...headersOf(error) } };
  };
}
