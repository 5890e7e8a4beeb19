import type { HttpResponse } from '../http/response.js';
import { version } from '../version.js';
import { type Html, html } from './html.js';
import { navigation } from './pageLinks.js';

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
