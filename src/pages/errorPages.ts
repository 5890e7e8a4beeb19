import { STATUS_CODES } from 'node:http';
import { catalogue, errorCodes } from '../errors/catalogue.js';
import type { Route } from '../http/route.js';
import { explainedError } from './explainedError.js';
import { filterField, filterScript } from './filterField.js';
import { type Html, html } from './html.js';
import { type HasPage, htmlPage } from './htmlPage.js';
import { KeptPages } from './keptPages.js';
import { statusBadge } from './statusBadge.js';

interface ErrorPagesOptions {
  publicUrl: string | undefined;
  hasPage: HasPage;
}

/** `/errors` and `/errors/<code>`: what a failure means and what to do about it, from the catalogue. */
export function errorPages({ publicUrl, hasPage }: ErrorPagesOptions): Route[] {
  const kept = new KeptPages(errorCodes.length + 1);
  const errorPage = (path: string, title: string, body: () => Html): Route => ({
    path,
    methods: ['GET', 'HEAD'],
    public: true,
    handle: () =>
      kept.page(path, () =>
        htmlPage({
          title: `${title} – Goalpost`,
          path,
          hasPage,
          modules: path === '/errors' ? [filterScript] : [],
          body: html`<main id="main">
${body()}</main>`,
        }),
      ),
  });
  return [
    errorPage('/errors', 'Errors', index),
    ...errorCodes.map((code) =>
      errorPage(`/errors/${code}`, `${code}: ${catalogue[code].title}`, () => explainedError(code, publicUrl)),
    ),
  ];
}

const index = () => html`<h1>Errors</h1>
<p class="lead">Every failure has a <code>code</code>: in a problem (RFC 9457) for REST, in <code>extensions</code> for
GraphQL. Both surfaces use the same codes, statuses and members.</p>
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
