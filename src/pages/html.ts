/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[] | false | undefined;

/** A template whose values are escaped unless they are HTML themselves; false and undefined leave nothing. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(written)));

function written(value: Value): string {
  if (value === false || value === undefined) return '';
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return value instanceof Html ? value.text : escaped(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Data for a page's script, which reads it with JSON.parse: never executed, so the policy stays without exceptions. */
export const jsonBlock = (id: string, data: unknown): Html =>
  new Html(`<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`);

interface Page {
  title: string;
  /** Paths of our own files. */
  styles: string[];
  scripts: string[];
  body: Html;
  /** Lets scripts write `<style>` elements, as GraphiQL and Swagger UI do. */
  inlineStyles?: boolean;
  /** Shows images that styles carry as data: URLs, as those of Swagger UI do. */
  dataImages?: boolean;
}

/** A page that loads nothing but our own files, is never framed and never kept. */
export function page({ title, styles, scripts, body, inlineStyles = false, dataImages = false }: Page): Response {
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
