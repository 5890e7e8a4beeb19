import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browsing, requireBrowser, violationsOf } from '../../support/browser.js';
import { chromium } from '../../support/chromium.js';
import { documents, guidePathOf } from '../../support/documents.js';

const pages = [
  ...['/', '/graphql', '/docs', '/history', '/errors', '/errors/VERSION_CONFLICT', '/guide/security'],
  '/no-such-page',
];
const guide = ['/guide', '/guide/settings', '/guide/rest'];
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const colours = ['light', 'dark'] as const;
const cases = pages.flatMap((path) =>
  Object.entries(sizes).flatMap(([size, viewport]) =>
    colours.map((colorScheme) => ({ path, size, viewport, colorScheme })),
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
  const { open } = browsing();

  test.each(cases)('$path, $colorScheme, on a $size is accessible', async ({ path, size, ...options }) => {
    const page = await visit(open, path, options);
    await unfold(page);
    expect(await violationsOf(page)).toEqual([]);
    if (size === 'phone') return;
    await page.setViewportSize({ width: 900, height: 1000 });
    expect(await violationsOf(page)).toEqual([]);
  });

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

  test.each([...pages, ...guide])('%s fits every window from 320 pixels to 4K', async (path) => {
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
