import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromium, flags, missing } from './support/chromium.js';
import { startServer } from './support/server.js';
import { restPaths } from './support/world.js';

declare global {
  interface Window {
    violated(policy: string): void;
    axe: typeof axe;
  }
}

// `npm run screenshots` takes these again.
const screenshots = fileURLToPath(new URL('screenshots/', import.meta.url));
const writing = process.env.SCREENSHOTS === 'on';

test.runIf(!chromium)('the pages are not tried in a browser', ({ skip }) => {
  if (process.env.CI === 'true') throw new Error(missing);
  console.warn(`Skipped: ${missing}`);
  skip(missing);
});

describe.skipIf(!chromium)('in a browser', { timeout: 60_000 }, () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer(),
      playwright.launch({ executablePath: chromium ?? '', args: flags }),
    ]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** A tab in which a console warning, a failed or foreign request, or a policy violation fails the test. */
  async function open(path: string, options: BrowserContextOptions = {}, base = server.base): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 900, height: 640 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) troubles.push(`foreign request: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
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
    if (base === server.base) await page.goto(base + server.start);
    await page.goto(base + path);
    return page;
  }

  /** Runs GraphiQL's current tab and returns the answer. */
  async function run(page: Page): Promise<unknown> {
    // GraphiQL takes a tenth of a second to read the tab.
    await page.waitForTimeout(300);
    const answer = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: /execute query/i }).click();
    return (await answer).json();
  }

  async function picture(page: Page, name: string): Promise<void> {
    const path = `${screenshots}${name}.png`;
    await mkdir(screenshots, { recursive: true });
    if (writing) await page.screenshot({ path });
    const { size } = await stat(path);
    expect(size).toBeLessThan(100_000);
  }

  test('the start page leads to GraphiQL, whose first example reopens a goal', async () => {
    const page = await open('/');
    await page.getByRole('heading', { name: 'Goalpost', level: 1 }).waitFor();
    await picture(page, 'start');
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await page.getByRole('tab', { name: 'ReopenGoal' }).waitFor();

    expect(await run(page)).toMatchObject({ data: { reopenGoal: { goal: { isClosed: false } } } });
    await expect.poll(() => page.locator('.result-window').innerText()).toMatch(/"isClosed":\s*false/);
    await picture(page, 'graphiql');
  });

  test('every worked example runs as it is', async () => {
    const page = await open('/graphql');
    const tabs = page.getByRole('tab');
    await tabs.first().waitFor();
    const count = await tabs.count();
    expect(count).toBeGreaterThanOrEqual(7);
    for (let index = 0; index < count; index += 1) {
      await tabs.nth(index).click();
      const answer = await run(page);
      expect(answer, (await tabs.nth(index).textContent()) ?? '').toHaveProperty('data');
      expect(answer).not.toHaveProperty('errors');
    }
  });

  test('the demo leaves nothing behind in the browser but the cookie of its session', async () => {
    const page = await open('/graphql');
    await run(page);
    await page.waitForTimeout(700);
    expect(await page.evaluate(() => ({ ...localStorage, ...sessionStorage }))).toEqual({});
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict', expires: -1 }]);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  test('without a demo, GraphiQL still knows the schema, says how to get a token, and keeps what is typed', async () => {
    const own = await startServer({ HOST: '0.0.0.0' });
    onTestFinished(own.stop);
    const page = await open('/graphql', {}, own.base);
    await page.getByText('npx goalpost token create').waitFor();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Mutation', exact: true }).click();
    await page.getByRole('link', { name: 'restoreDocumentVersion', exact: true }).waitFor();

    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.type('# mine');
    await page.waitForTimeout(1000);
    await page.reload();
    await page.getByRole('tab').first().waitFor();
    await expect.poll(() => page.locator('.graphiql-query-editor').innerText()).toContain('# mine');
  });

  test('the copy button copies the command beside it, and says so', async () => {
    const page = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: Restore a document version' }).click();
    await page.getByRole('status').getByText('Copied: Restore a document version').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(
      /^curl -sS http:\/\/localhost:\d+\/api\/external\/v1\/documents\/restore_document_version \\\n/,
    );
    expect(copied).toContain('"expected_current_version"');
  });

  test('the start page can be read without JavaScript', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    expect(await page.locator('.command code').count()).toBe(Object.keys(restPaths).length);
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('the start page fits a phone', async () => {
    const page = await open('/', { viewport: { width: 320, height: 640 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  test('the keyboard reaches every link and button of the start page, and shows where it is', async () => {
    const page = await open('/');
    const stops = await page.locator('a, button, pre').count();
    for (let stop = 0; stop < stops; stop += 1) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineWidth);
      expect(Number.parseFloat(outline)).toBeGreaterThan(1);
    }
  });

  test.each([
    ['/', 'light', 'body'],
    ['/', 'dark', 'body'],
    ['/graphql', 'light', 'body > header'],
    ['/graphql', 'dark', 'body > header'],
  ] as const)('%s is accessible in %s colours', async (path, colorScheme, part) => {
    const page = await open(path, { colorScheme });
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async (selector) => {
      return (await window.axe.run(selector)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    }, part);
    expect(violations).toEqual([]);
  });

  test('the REST reference tries the restore path on the demo as it is', async () => {
    const page = await open('/docs');
    const operation = page.locator('.opblock', { hasText: '/documents/restore_document_version' });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answer = page.waitForResponse((response) => response.url().endsWith('/documents/restore_document_version'));
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await answer).status()).toBe(200);
  });
});
