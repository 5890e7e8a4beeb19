import type { GraphQLError } from 'graphql';
import { headersOf } from '../errors/problem.js';
import type { Answer } from '../http/answer.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { type Html, html } from './html.js';
import { type HasPage, htmlPage } from './htmlPage.js';

interface NoPageOptions {
  mutations: readonly PreparedMutation[];
  hasPage: HasPage;
}

/** What a browser shows for a path that does not exist, with the path that was perhaps meant, or that is for programs only. */
export function noPage({ mutations, hasPage }: NoPageOptions) {
  const linkTo = (path: string): Html => {
    const mutation = mutations.find((each) => each.path === path);
    if (mutation) return html`<a href="/docs#${mutation.name}"><code>${path}</code></a>`;
    return hasPage(path) ? html`<a href="${path}"><code>${path}</code></a>` : html`<code>${path}</code>`;
  };

  return (error: GraphQLError, path: string, nearest: string | undefined): Answer => {
    const isUnknown = error.extensions.code === 'NOT_FOUND';
    const page = htmlPage({
      title: `${isUnknown ? 'Not found' : 'Not a page'} – Goalpost`,
      path,
      hasPage,
      status: isUnknown ? 404 : 405,
      body: html`<main id="main">
<h1>${isUnknown ? 'This page does not exist' : 'This path is for programs'}</h1>
<div class="stack">
<p class="lead">${isUnknown ? html`There is nothing at <code>${path}</code>.` : error.message}</p>
${isUnknown ? nearest && html`<p>Did you mean ${linkTo(nearest)}?</p>` : html`<p>What to send: ${linkTo(path)}</p>`}
<p><a href="/">Go to the start page</a></p>
</div>
</main>`,
    });
    return { ...page, headers: { ...page.headers, ...headersOf(error) } };
  };
}
