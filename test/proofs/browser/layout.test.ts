import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browsing, requireBrowser, violationsOf } from '../../support/browser.js';
import { chromium } from '../../support/chromium.js';
import { documents, guidePathOf, pathOf } from '../../support/documents.js';

const scale = 8;

/** A screenshot at an eighth of its size, as a PNG: layout and colours remain, letters become grey. */
async function thumbnailOf(page: Page, canvas: Page): Promise<Buffer> {
  const screenshot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const encoded = await canvas.evaluate(
    async ({ png, factor }) => {
      const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(Math.round(image.width / factor), Math.round(image.height / factor));
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
    },
    { png: screenshot.toString('base64'), factor: scale },
  );
  return Buffer.from(encoded, 'base64');
}

/** How much two pictures differ, as a share of the greatest difference possible; 1 if their sizes differ. */
const differenceOf = (canvas: Page, one: Buffer, other: Buffer): Promise<number> =>
  canvas.evaluate(
    async (pictures) => {
      const read = async (png: string) => {
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        if (!context) throw new Error('no canvas');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [first, second] = await Promise.all(pictures.map(read));
      if (!first || !second || first.length !== second.length) return 1;
      return first.reduce((sum, value, index) => sum + Math.abs(value - (second[index] ?? 0)), 0) / first.length / 255;
    },
    [one.toString('base64'), other.toString('base64')],
  );

const pages = {
  start: '/',
  graphiql: '/graphql',
  reference: '/docs',
  history: '/history',
  agents: '/mcp',
  errors: '/errors',
  error: '/errors/VERSION_CONFLICT',
  guide: '/guide/security',
  unknown: '/no-such-page',
};
/** Their text changes with each document, so that no picture of them is compared. */
const guide = ['/guide', '/guide/settings', '/guide/rest'];
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const colours = ['light', 'dark'] as const;
const cases = Object.entries(pages).flatMap(([name, path]) =>
  Object.entries(sizes).flatMap(([size, viewport]) =>
    colours.map((colorScheme) => ({ name, path, size, viewport, colorScheme })),
  ),
);

/** Whatever is wider than the window, or than the part of the page it is in. */
const overflowing = (page: Page) =>
  page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isTooWide = document.documentElement.scrollWidth > width;
    const wide = [...document.querySelectorAll('body *')].filter((part) => {
      return isTooWide && part.getBoundingClientRect().right > width + 1;
    });
    const parts = [...document.querySelectorAll('main:not(:has(#graphiql)), details, .example, .sides > div, li')];
    const leaking = parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
    return [...wide, ...leaking].map(({ outerHTML }) => outerHTML.slice(0, 100));
  });

/** The heights in the window at which the links of the header are. */
const headerRows = (page: Page) =>
  page.evaluate(() => {
    const middles = [...document.querySelectorAll('body > header a')].map((link) => {
      const { top, bottom } = link.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    });
    return [...new Set(middles)];
  });

/** Words that stand on two lines, other than code and what is in GraphiQL. */
const brokenWords = (page: Page) =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    const range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement?.closest('code, pre, h1, #graphiql, .rows, textarea, select')) continue;
      for (const word of (text.textContent ?? '').matchAll(/\p{L}+/gu)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word[0]);
      }
    }
    return broken;
  });

const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const part of document.querySelectorAll<HTMLDetailsElement>('main > :not(nav) details')) part.open = true;
  });

async function visit(open: ReturnType<typeof browsing>['open'], path: string, options: object): Promise<Page> {
  const page = await open(path, { statuses: [404], ...options });
  if (path === '/history') await page.getByRole('heading', { name: /^Version 1/ }).waitFor();
  if (path === '/graphql') await page.locator('.graphiql-query-editor .CodeMirror-line').first().waitFor();
  return page;
}

requireBrowser();

describe.skipIf(!chromium)('every page', () => {
  const { open, canvas } = browsing();

  // Another machine has other fonts: letters are blurred, and lines may break elsewhere.
  test.each(cases)(
    '$name, $colorScheme, on a $size looks as it did, and is accessible',
    async ({ name, path, size, ...options }) => {
      const page = await visit(open, path, options);
      const file = pathOf(`test/proofs/browser/screenshots/${name}-${options.colorScheme}-${size}.png`);
      const picture = await thumbnailOf(page, canvas());
      if (process.env.SCREENSHOTS === 'on') {
        await mkdir(pathOf('test/proofs/browser/screenshots'), { recursive: true });
        await writeFile(file, picture);
      }
      expect(await differenceOf(canvas(), picture, await readFile(file))).toBeLessThan(0.06);
      await unfold(page);
      expect(await violationsOf(page)).toEqual([]);
      if (size === 'phone') return;
      await page.setViewportSize({ width: 900, height: 1000 });
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  test('the guide has a page of each document', async () => {
    const page = await visit(open, '/guide', {});
    const links = page.locator('#guide-pages > a');
    const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(paths.toSorted()).toEqual(documents.map(guidePathOf).toSorted());
  });

  test.each(documents.map(guidePathOf))('%s is accessible and fits, in both schemes and three widths', async (path) => {
    const page = await visit(open, path, {});
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowing(page), `${width} pixels`).toEqual([]);
      for (const colorScheme of colours) {
        await page.emulateMedia({ colorScheme });
        expect(await violationsOf(page), `${colorScheme}, ${width} pixels`).toEqual([]);
      }
    }
  });

  test.each([...Object.values(pages), ...guide])('%s fits every window from 320 pixels to 4K', async (path) => {
    const page = await visit(open, path, {});
    await unfold(page);
    for (const width of [320, 390, 640, 900, 1280, 1920, 3840]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowing(page), `${width} pixels`).toEqual([]);
      const heading = await page.locator('h1').boundingBox();
      expect(heading?.y, `${width} pixels`).toBeLessThan(400);
      expect(await headerRows(page), `${width} pixels`).toHaveLength(1);
      expect(await brokenWords(page), `${width} pixels`).toEqual([]);
    }
  });
});
