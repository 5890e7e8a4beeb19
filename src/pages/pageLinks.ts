import { type Html, html } from './html.js';

interface PageLink {
  path: string;
  name: string;
  about: string;
}

/** The pages that the header of every page links to. */
export const pageLinks: PageLink[] = [
  { path: '/graphql', name: 'GraphiQL', about: 'Run queries and mutations in the browser, with worked examples.' },
  {
    path: '/docs',
    name: 'Reference',
    about: 'Every REST path: what it takes, what it answers, and a button to try it.',
  },
  { path: '/errors', name: 'Errors', about: 'What each error code means, and what to do about it.' },
  { path: '/schema', name: 'Schema', about: 'Every GraphQL type and field, with its documentation.' },
];

/** The icon, drawn into the page so that it needs no request. */
const mark: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path
d="M9 26V7h14v19M9 12h14"/></svg>`;

export const navigation = (current: string, hasPage: (path: string) => boolean): Html => html`<nav aria-label="Pages">
<a class="mark" href="/"${current === '/' && html` aria-current="page"`}>${mark}Goalpost</a>
${pageLinks
  .filter(({ path }) => hasPage(path))
  .map(
    ({ path, name }) =>
      html`<a href="${path}"${current === path && html` aria-current="page"`}>${name}</a>
`,
  )}</nav>`;
