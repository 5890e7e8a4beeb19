import type { GraphQLError } from 'graphql';
import { headersOf } from '../errors/problem.js';
import type { HttpResponse } from '../http/response.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { type Html, html } from './html.js';
import { type HasPage, htmlPage } from './htmlPage.js';

interface NoPageOptions {
  mutations: readonly PreparedMutation[];
  hasPage: HasPage;
}

/** Where `url` and `publicUrl` of a document lead. Without `APP_URL`, that is this gateway. */
const addressOfDocument = /^\/(public\/)?documents\/[^/]+$/;

const inMainApplication = {
  heading: 'This page is in the main application',
  hint: html`<p>Goalpost has no page for a document. The setting <code>APP_URL</code> says where the main application is;
set it, and the fields <code>url</code> and <code>publicUrl</code> of a document lead there.</p>`,
};

/** What a browser shows for a path that does not exist, with the path that was perhaps meant, or that is for programs only. */
export function noPage({ mutations, hasPage }: NoPageOptions) {
  const linkTo = (path: string): Html => {
    const mutation = mutations.find((each) => each.path === path);
    if (mutation) return html`<a href="/docs#${mutation.name}"><code>${path}</code></a>`;
    return hasPage(path) ? html`<a href="${path}"><code>${path}</code></a>` : html`<code>${path}</code>`;
  };

  /** What to open instead of a path that this method cannot be sent to. */
  const guideTo = (path: string): Html => {
    const mutation = mutations.find((each) => each.path === path);
    if (mutation) return html`<a href="/docs#${mutation.name}">${mutation.title}, in the reference</a>`;
    return html`<a href="/docs">the reference</a>`;
  };

  const explain = (path: string, nearest: string | undefined) => {
    const lead = html`There is nothing at <code>${path}</code>.`;
    if (addressOfDocument.test(path)) return { ...inMainApplication, lead };
    const hint = nearest !== undefined && html`<p>Did you mean ${linkTo(nearest)}?</p>`;
    return { heading: 'This page does not exist', lead, hint };
  };

  return (error: GraphQLError, path: string, nearest: string | undefined): HttpResponse => {
    const isUnknown = error.extensions.code === 'NOT_FOUND';
    const forPrograms = {
      heading: 'This path is for programs',
      lead: error.message,
      hint: html`<p>What to send instead, with an example to run: ${guideTo(path)}.</p>`,
    };
    const { heading, lead, hint } = isUnknown ? explain(path, nearest) : forPrograms;
    const page = htmlPage({
      title: `${isUnknown ? 'Not found' : 'Not a page'} – Goalpost`,
      path,
      hasPage,
      status: isUnknown ? 404 : 405,
      body: html`<main id="main">
<h1>${heading}</h1>
<div class="stack">
<p class="lead">${lead}</p>
${hint}
<p><a href="/">Go to the start page</a></p>
</div>
</main>`,
    });
    return { ...page, headers: { ...page.headers, ...headersOf(error) } };
  };
}
