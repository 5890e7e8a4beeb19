import { type Html, html } from './html.js';

interface HtmlPage {
  title: string;
  /** Paths of our own files. */
  styles: string[];
  scripts: string[];
  body: Html;
  /** Lets scripts write `<style>` elements, as GraphiQL and Swagger UI do. */
  inlineStyles?: boolean;
  /** Allows images in data: URLs, which the styles of Swagger UI contain. */
  dataImages?: boolean;
}

/** A page that loads only our own files. Other sites cannot frame it, and browsers do not keep it. */
export function htmlPage({
  title,
  styles,
  scripts,
  body,
  inlineStyles = false,
  dataImages = false,
}: HtmlPage): Response {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map((path) => html`<script src="${path}" defer></script>`)}
</head>
<body>
${body}
</body>
</html>
`;
  return new Response(document.text, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        `default-src 'self'; ${inlineStyles ? "style-src 'self' 'unsafe-inline'; " : ''}` +
        `${dataImages ? "img-src 'self' data:; " : ''}object-src 'none'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  });
}
