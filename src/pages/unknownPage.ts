import type { Answer } from '../http/answer.js';
import { html } from './html.js';
import { type HasPage, htmlPage } from './htmlPage.js';

/** What a browser shows for a path that does not exist: 404, and the path that was perhaps meant. */
export const unknownPage =
  (hasPage: HasPage) =>
  (path: string, nearest: string | undefined): Answer =>
    htmlPage({
      title: 'Not found – Goalpost',
      path,
      hasPage,
      status: 404,
      body: html`<main id="main">
<h1>This page does not exist</h1>
<p class="lead">There is nothing at <code>${path}</code>.</p>
${nearest && html`<p>Did you mean ${hasPage(nearest) ? html`<a href="${nearest}">${nearest}</a>` : html`<code>${nearest}</code>`}?</p>`}
<p><a href="/">Go to the start page</a></p>
</main>`,
    });
