import type { HttpResponse } from '../platform/http/index.js';
import { version } from '../version.js';
import { codeMarks } from './assets/codeMarks.js';

export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[] | false | undefined;

/** An HTML template. Escapes every value that is not HTML itself, and omits false and undefined. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(toHtml)));

function toHtml(value: Value): string {
  if (value === false || value === undefined) return '';
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return value instanceof Html ? value.text : escapeHtml(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Data that a page's script reads with JSON.parse. Browsers never execute it, so the policy needs no exception. */
export const jsonBlock = (id: string, data: unknown): Html =>
  new Html(`<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`);

/** Text with its `code`. */
export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** Code with its strings and comments marked. */
function highlighted(code: string): Html {
  let end = 0;
  const parts = [...code.matchAll(codeMarks)].map(({ index, 0: part, 1: text }) => {
    const before = code.slice(end, index);
    end = index + part.length;
    return html`${before}<span class="${text ? 'string' : 'comment'}">${part}</span>`;
  });
  return html`${parts}${code.slice(end)}`;
}

/** A block of code that can be scrolled with the keyboard. */
export const codeBlock = (label: string, code: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${highlighted(code)}</code></pre>`;

/** The status of a failure, in the colour of its class. */
export const statusBadge = (status: number): Html =>
  html`<span class="badge ${status < 500 ? 'client' : 'server'}">${status}</span>`;

export const filterScript = '/pages/filter.js';

/** A field that filters the page by what its headings and entries are named. */
export const filterField = (what: string): Html => html`<p class="filter needs-script" role="search" hidden>
<label class="unseen" for="filter">Filter: ${what}</label>
<input type="search" id="filter" placeholder="Filter this page" autocomplete="off" spellcheck="false">
<span id="filter-outcome" class="quiet" role="status"></span></p>
`;

export interface PageLink {
  path: string;
  name: string;
  about: string;
}

export const pageLinks: PageLink[] = [
  {
    path: '/graphql',
    name: 'GraphiQL',
    about: 'Run queries and mutations in the browser, with worked examples and the documentation of every type.',
  },
  {
    path: '/docs',
    name: 'Reference',
    about: 'Every REST path with its fields, responses and errors, and a recorded example.',
  },
  { path: '/errors', name: 'Errors', about: 'What each error code means, and what to do about it.' },
  {
    path: '/history',
    name: 'History',
    about: 'Each version of a document with what it changed, and which versions had a text.',
  },
  { path: '/guide', name: 'Guide', about: 'How to call, run and change Goalpost, with a search over all of it.' },
];

/** The icon, drawn into the page so that it needs no request. */
const mark: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path
d="M9 26V7h14v19M9 12h14"/></svg>`;

/** Marks the page itself, and the page whose part it is. */
function currentMark(path: string, current: string): Html | undefined {
  if (current === path) return html` aria-current="page"`;
  return current.startsWith(`${path}/`) ? html` aria-current="true"` : undefined;
}

const navigation = (current: string, hasPage: (path: string) => boolean): Html => html`<nav aria-label="Pages">
<a class="mark" href="/"${current === '/' && html` aria-current="page"`}>${mark}<span class="name">Goalpost</span></a>
${pageLinks
  .filter(({ path }) => hasPage(path))
  .map(
    ({ path, name }) =>
      html`<a href="${path}"${currentMark(path, current)}>${name}</a>
`,
  )}</nav>`;

/** Whether a path has a public route. Pages link to no other. */
export type HasPage = (path: string) => boolean;

interface HtmlPage {
  title: string;
  /** Its path, which the header marks as the current one. */
  path: string;
  hasPage: HasPage;
  body: Html;
  /** Paths of our own files besides the stylesheet that all pages share. */
  styles?: string[];
  scripts?: string[];
  /** The same for scripts that import others. */
  modules?: string[];
  /** Lets scripts write `<style>` elements, as GraphiQL does. */
  inlineStyles?: boolean;
  /** Fills the window and has no footer, as an application does. */
  isApplication?: boolean;
  status?: number;
}

/** A page in the frame that all share. It loads only our own files. Other sites cannot frame it, and browsers do not keep it. */
export function htmlPage({
  title,
  path,
  hasPage,
  body,
  styles = [],
  scripts = [],
  modules = [],
  inlineStyles = false,
  isApplication = false,
  status = 200,
}: HtmlPage): HttpResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
${['/pages/goalpost.css', ...styles].map((file) => html`<link rel="stylesheet" href="${file}">`)}
${scripts.map((file) => html`<script src="${file}" defer></script>`)}
${modules.map((file) => html`<script type="module" src="${file}"></script>`)}
</head>
<body${isApplication && html` class="application"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>
${navigation(path, hasPage)}
</header>
${body}
${!isApplication && html`<footer><p>Goalpost ${version}</p></footer>`}
</body>
</html>
`;
  return {
    status,
    body: document.text,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        `default-src 'self'; ${inlineStyles ? "style-src 'self' 'unsafe-inline'; " : ''}object-src 'none'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  };
}
