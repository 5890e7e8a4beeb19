import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/errors/catalogue.js';
import { settingNames } from '../../src/settings.js';
import { documents, guidePathOf, headingsOf, textOf } from '../support/documents.js';
import { createWorld, restPaths } from '../support/world.js';

const world = await createWorld();
const origin = 'http://localhost';

async function browse(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const response = await world.fetchAt(origin + path, { method, headers: { accept, ...headers } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

const opened = new Map<string, Promise<{ status: number; text: string }>>();

/** A page, requested once. */
function pageAt(path: string) {
  const page = opened.get(path) ?? browse(path).then(({ status, bytes }) => ({ status, text: String(bytes) }));
  opened.set(path, page);
  return page;
}

const guidePages = documents.map(guidePathOf);

const unescaped = (text: string) => text.replaceAll('&amp;', '&');
const linksOf = (text: string) =>
  [...text.matchAll(/\s(?:href|src|srcset)="([^"]*)"/g)].map(([, link = '']) => unescaped(link));

/** The links of a page that lead nowhere. Those to other sites are not followed. */
async function brokenLinks(path: string) {
  const { text } = await pageAt(path);
  const broken: string[] = [];
  for (const link of new Set(linksOf(text))) {
    if (/^https?:/.test(link)) continue;
    const target = new URL(link, origin + path);
    const page =
      target.hash && target.pathname === path ? await pageAt(path) : await pageAt(target.pathname + target.search);
    const anchor = decodeURIComponent(target.hash.slice(1));
    if (page.status !== 200 || (anchor && !page.text.includes(` id="${anchor}"`))) broken.push(link);
  }
  return broken;
}

describe('the guide', () => {
  test('shows the address of the gateway that serves it, and blocks of code get a button that copies them', async () => {
    const { text } = await pageAt('/guide/quickstart');
    expect(text).toContain(`${origin}/graphql`);
    expect(text).not.toContain('http://127.0.0.1:4000');
    expect(text).toContain('/pages/guideCode.js');
    expect(text).toMatch(/<nav aria-label="Pages">.*<a href="\/history">History<\/a>.*<\/nav>/s);
  });

  test('has a page for each document, and each page lists them all', async () => {
    for (const path of guidePages) {
      const { status, text } = await pageAt(path);
      expect(status, path).toBe(200);
      for (const other of guidePages) expect(text, path).toContain(`<a href="${other}"`);
      expect(text).toContain(`<a href="${path}" aria-current="page">`);
    }
  });

  test.each(guidePages)('%s has only links that lead somewhere', async (path) => {
    expect(linksOf((await pageAt(path)).text).length).toBeGreaterThan(guidePages.length);
    expect(await brokenLinks(path)).toEqual([]);
  });

  test.each(['/', '/docs', '/errors', '/errors/VERSION_CONFLICT', '/graphql', '/history'])(
    '%s has only links that lead somewhere, one of them to the guide',
    async (path) => {
      expect(linksOf((await pageAt(path)).text)).toContain('/guide');
      expect(await brokenLinks(path)).toEqual([]);
    },
  );

  test('shows code as it is, and nothing that a document could have slipped in', async () => {
    const { text } = await pageAt('/guide/clients');
    expect(text).toContain('createClient&lt;paths&gt;');
    for (const path of guidePages)
      expect((await pageAt(path)).text, path).not.toMatch(/<script(?! type="module" src=)/);
  });

  test.each(['/guide/nothing-like-it', '/guide/../package.json', '/guide/search.html'])(
    '%s is no page of it',
    async (path) => {
      const { status, bytes } = await browse(path);
      expect(status).toBe(404);
      expect(String(bytes)).toContain('This page does not exist');
    },
  );
});

describe('the search of the guide', () => {
  interface Found {
    kind: string;
    title: string;
    url: string;
    text: string;
  }
  const records = async () => JSON.parse((await pageAt('/guide/search.json')).text) as Found[];

  test('knows each page, heading, error, setting and REST operation, and where it is', async () => {
    const all = await records();
    const titled = (kind: string) => all.filter((each) => each.kind === kind).map(({ title }) => title);
    expect(titled('Error').sort()).toEqual([...errorCodes].sort());
    expect(titled('Setting').sort()).toEqual([...settingNames].sort());
    expect(titled('REST').sort()).toEqual(
      Object.values(restPaths)
        .map((path) => `POST ${path}`)
        .sort(),
    );
    const headings = documents.flatMap((file) => headingsOf(textOf(file)));
    expect(titled('Guide')).toHaveLength(headings.length);
    const broken: string[] = [];
    for (const { url } of all) {
      const [path = '', anchor] = url.split('#');
      const { status, text } = await pageAt(path);
      if (status !== 200 || (anchor && !text.includes(` id="${anchor}"`))) broken.push(url);
    }
    expect(broken).toEqual([]);
  });
});
