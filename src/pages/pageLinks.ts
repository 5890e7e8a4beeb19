import { type Html, html } from './html.js';

export interface PageLink {
  path: string;
  name: string;
  about: string;
}

/** The pages that the header of every page links to. */
export const pageLinks: PageLink[] = [
  {
    path: '/graphql',
    name: 'GraphiQL',
    about: 'Run queries and mutations in the browser, with worked examples and the documentation of every type.',
  },
  {
    path: '/docs',
    name: 'Reference',
    about: 'Every REST path with its fields, responses and errors, and a request to run.',
  },
  { path: '/errors', name: 'Errors', about: 'What each error code means, and what to do about it.' },
];

/** The icon, drawn into the page so that it needs no request. */
const mark: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path
d="M9 26V7h14v19M9 12h14"/></svg>`;

/** Marks the page itself, and the page whose part it is. */
function currentMark(path: string, current: string): Html | undefined {
  if (current === path) return html` aria-current="page"`;
  return current.startsWith(`${path}/`) ? html` aria-current="true"` : undefined;
}

export const navigation = (current: string, hasPage: (path: string) => boolean): Html => html`<nav aria-label="Pages">
<a class="mark" href="/"${current === '/' && html` aria-current="page"`}>${mark}<span class="name">Goalpost</span></a>
${pageLinks
  .filter(({ path }) => hasPage(path))
  .map(
    ({ path, name }) =>
      html`<a href="${path}"${currentMark(path, current)}>${name}</a>
`,
  )}</nav>`;
