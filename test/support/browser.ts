import axe from 'axe-core';
import {
  type Browser,
  type BrowserContextOptions,
  type Cookie,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromium, flags, missing } from './chromium.js';
import { startServer } from './server.js';

declare global {
  interface Window {
    violated(policy: string): void;
    axe: typeof axe;
  }
}

interface Visit extends BrowserContextOptions {
  base?: string;
  /** Statuses of answers that the test provokes. */
  statuses?: number[];
}

/** Without a browser, one skipped test says so; where CI runs it fails. */
export const requireBrowser = () =>
  test.runIf(!chromium)('the pages are not tried in a browser', ({ skip }) => {
    if (process.env.CI === 'true') throw new Error(missing);
    console.warn(`Skipped: ${missing}`);
    skip(missing);
  });

/** A demo server and a browser for the tests around the call. */
export function browsing() {
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;
  /** The session of the demo, which the start page begins. */
  let session: Cookie[];

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer(),
      playwright.launch({ executablePath: chromium ?? '', args: flags }),
    ]);
    const page = await browser.newPage();
    await page.goto(server.base + server.start);
    session = await page.context().cookies();
    await page.close();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** A tab in which a console warning, a failed or foreign request, or a policy violation fails the test. */
  async function open(path: string, { base = server.base, statuses = [], ...options }: Visit = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 900, height: 640 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const troubles: string[] = [];
    page.on('console', (message) => {
      const isProvoked = statuses.some((status) => message.text().includes(`status of ${status}`));
      if (['error', 'warning'].includes(message.type()) && !isProvoked) {
        troubles.push(`${message.type()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) troubles.push(`foreign request: ${request.url()}`);
    });
    page.on('response', (response) => {
      const status = response.status();
      if (status >= 400 && !statuses.includes(status)) troubles.push(`${status} ${response.url()}`);
    });
    await page.exposeFunction('violated', (policy: string) => troubles.push(`policy violated: ${policy}`));
    await page.addInitScript(() => {
      const report = ({ violatedDirective, blockedURI }: SecurityPolicyViolationEvent) =>
        window.violated(`${violatedDirective} ${blockedURI}`);
      document.addEventListener('securitypolicyviolation', report);
    });
    onTestFinished(async () => {
      await context.close();
      expect(troubles).toEqual([]);
    });
    if (base === server.base) await context.addCookies(session);
    await page.goto(base + path);
    return page;
  }

  return { open };
}

/** What axe finds wrong with a page, or with the part of it that a selector names. */
export async function violationsOf(page: Page, part = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (selector) => {
    const { violations } = await window.axe.run(selector, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, part);
}

/** Runs what GraphiQL shows and returns the answer. */
export async function runGraphiql(page: Page): Promise<unknown> {
  // GraphiQL takes a tenth of a second to read what is typed.
  await page.waitForTimeout(300);
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: /execute query/i }).click();
  return (await answer).json();
}
