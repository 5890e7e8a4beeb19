import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { catalogue, errorCodes } from '../errors/catalogue.js';
import { contentRoute, type HttpResponse, publicRoute, type Route } from '../platform/http/index.js';
import type { PreparedMutation } from '../rest/routes.js';
import { type AssetName, assetRoutes, builtAsset, keptPages, ownAsset, vendorAsset } from './assetRoutes.js';
import { Html, html, htmlPage } from './html.js';
import type { PageOptions } from './options.js';

/** What the build writes of the documents. */
interface Contents {
  groups: { title: string; pages: GuidePage[] }[];
  /** What the pages show or link to, besides pages. */
  files: AssetName[];
}

interface GuidePage {
  path: string;
  title: string;
  about: string;
  sections: { title: string; anchor: string }[];
}

/** The address of a first start, in whose place a document has that of the gateway that shows it. */
const addressInDocuments = 'http://127.0.0.1:4000';

/** A page has up to 100 kB. */
const mostPages = 8;

/** `/guide`: the documents, which the build has rendered, read when they are asked for, and a search over them. */
export function guideRoutes({ mutations, hasPage, publicUrl }: PageOptions): Route[] {
  const contents = JSON.parse(readFileSync(builtAsset('guide/contents.json'), 'utf8')) as Contents;
  const kept = keptPages(mostPages);
  const route = (page: GuidePage): Route =>
    publicRoute(page.path, (request) => {
      const base = publicUrl || new URL(request.url).origin;
      return kept(`${page.path} ${base}`, () => render(page, base));
    });
  async function render(page: GuidePage, base: string): Promise<HttpResponse> {
    const text = await readFile(builtAsset(`guide/${page.path.split('/').at(-1)}.html`), 'utf8');
    return htmlPage({
      title: page.path === '/guide' ? 'Guide – Goalpost' : `${page.title} – Goalpost`,
      path: page.path,
      hasPage,
      modules: ['/pages/search.js', '/pages/contents.js', '/pages/guideCode.js'],
      body: framed(page, contents, new Html(text.replaceAll(addressInDocuments, html`${base}`.text))),
    });
  }
  return [
    ...contents.groups.flatMap(({ pages }) => pages.map(route)),
    ...assetRoutes('/guide', Object.fromEntries(contents.files.map((name) => [name, builtAsset(`guide/${name}`)]))),
    ...assetRoutes('/pages', {
      'guideCode.js': ownAsset('guideCode.js'),
      'search.js': ownAsset('search.js'),
      'minisearch.js': vendorAsset('minisearch.js'),
    }),
    contentRoute('/guide/search.json', async () =>
      JSON.stringify([
        ...JSON.parse(await readFile(builtAsset('guide/search.json'), 'utf8')),
        ...mutations.map(restRecord),
        ...errorCodes.map(errorRecord),
      ]),
    ),
  ];
}

const restRecord = ({ name, title, path }: PreparedMutation) => ({
  kind: 'REST',
  title: `POST ${path}`,
  page: title,
  url: `/docs#${name}`,
  text: `${title} ${name}`,
});

function errorRecord(code: (typeof errorCodes)[number]) {
  const { status, title, meaning, remedy } = catalogue[code];
  return { kind: 'Error', title: code, page: title, url: `/errors/${code}`, text: `${status} ${meaning} ${remedy}` };
}

/** A document between the search and the other pages. On a phone, those follow it. */
const framed = (
  page: GuidePage,
  { groups }: Contents,
  document: Html,
): Html => html`<main class="reference guide" id="main">
<div class="document">
<div class="find needs-script" role="search" hidden>
<label class="unseen" for="search">Search the guide, errors, settings and REST operations</label>
<input type="search" id="search" placeholder="Search: pages, errors, settings, operations" autocomplete="off" spellcheck="false" aria-describedby="search-keys">
<span id="search-keys" class="unseen">Press the down arrow for the results, Escape to clear</span>
<p id="search-outcome" class="quiet" role="status"></p>
<ol id="search-results" hidden></ol>
</div>
<article>
<p class="narrow"><a href="#guide-pages">All pages</a></p>
${document}</article>
</div>
<nav class="contents" id="guide-pages" aria-label="Guide">
${groups.map(
  ({ title, pages }) => html`<h2>${title}</h2>
${pages.map((each) => entry(each, page))}`,
)}</nav>
</main>`;

const entry = ({ path, title, sections }: GuidePage, { path: current }: GuidePage): Html =>
  path === current
    ? html`<a href="${path}" aria-current="page">${title}</a>
<div class="sections">${sections.map(
        (section) => html`<a href="#${section.anchor}">${section.title}</a>
`,
      )}</div>
`
    : html`<a href="${path}">${title}</a>
`;
