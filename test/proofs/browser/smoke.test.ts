import { describe, expect, test } from 'vitest';
import { browsing, requireBrowser, runGraphiql } from '../../support/browser.js';
import { chromium } from '../../support/chromium.js';

requireBrowser();

describe.skipIf(!chromium)('in a browser', () => {
  const { open } = browsing();

  test('the start page leads to GraphiQL, which opens with a query', async () => {
    const page = await open('/');
    await page.getByRole('heading', { name: 'Goalpost', level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'GraphiQL' }).click();
    await page.locator('.graphiql-query-editor').getByText('Viewer', { exact: true }).waitFor();
    await page.getByText('Press Run or Ctrl+Enter').waitFor();

    expect(await runGraphiql(page)).toMatchObject({ data: { viewer: { token: { canWrite: true } } } });
    await expect.poll(() => page.locator('.result-window').innerText()).toMatch(/"canWrite":\s*true/);
  });

  test.each(['/docs', '/errors', '/guide', '/history'])('%s opens without a complaint', async (path) => {
    const page = await open(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  });
});
