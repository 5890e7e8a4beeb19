import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browsing, requireBrowser, runGraphiql as run, violationsOf } from '../../support/browser.js';
import { chromium } from '../../support/chromium.js';
import { temporaryServer } from '../../support/temporary.js';
import { createWorld } from '../../support/world.js';

/** Longer than a loaded machine needs. */
const patience = { timeout: 15_000 };

requireBrowser();

describe.skipIf(!chromium)('in a browser', () => {
  const { open } = browsing();

  const editor = (page: Page) => page.locator('.graphiql-query-editor');

  /** Chooses an example of GraphiQL. */
  async function choose(page: Page, name: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Example' }).selectOption(name);
    await expect.poll(() => editor(page).innerText(), patience).toMatch(new RegExp(` ${name}[ (]`));
  }

  /** The history of a document with these versions, for a visitor with a token. */
  async function historyOf(versions: string[]): Promise<Page> {
    const world = await createWorld();
    const { caller, hub } = await world.teamWithHub('space');
    await world.document(hub, caller, versions);
    const own = await temporaryServer({ DATABASE_URL: world.url });
    const page = await open('/history', { base: own.base });
    await page.getByLabel('To see your documents').fill(caller.readOnlyToken);
    return page;
  }

  const example = (page: Page, name: string) => page.locator(`.example[id="${name}"]`);

  test('every worked example of what the demo has runs as it is', async () => {
    const page = await open('/graphql');
    const { queries } = await page.evaluate(() => JSON.parse(document.getElementById('settings')?.textContent ?? ''));
    const menu = page.getByRole('combobox', { name: 'Example' });
    const [, ...names] = await menu.locator('option').allTextContents();
    expect(names.length).toBeGreaterThanOrEqual(15);
    const isOfDemo = (name: string) => {
      const { query, variables } = queries.find((each: { query: string }) =>
        new RegExp(` ${name}\\b`).test(each.query),
      );
      return !query.includes('ebhook') && !/"[A-Z_]+_ID"/.test(JSON.stringify(variables));
    };
    expect(names.filter((name) => !isOfDemo(name) && !name.includes('Webhook'))).toEqual([
      'PreviewUndoChange',
      'UndoChange',
    ]);
    for (const name of names.filter(isOfDemo)) {
      await choose(page, name);
      // It has a test of its own, because its response does not end.
      if (name === 'Listen') continue;
      const answer = await run(page);
      expect(answer, name).toHaveProperty('data');
      expect(answer).not.toHaveProperty('errors');
    }
  });

  test('GraphiQL shows an event when something is changed elsewhere, until Stop ends its stream', async () => {
    const own = await temporaryServer({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { quiet: true });
    const page = await open(own.start, { base: own.base });
    await page.goto(`${own.base}/graphql`);
    await choose(page, 'Listen');
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.getByRole('status').getByText('200 OK · listening').waitFor();

    const { token, queries } = await page.evaluate(() =>
      JSON.parse(document.getElementById('settings')?.textContent ?? ''),
    );
    const shown = () => page.locator('.result-window').innerText();
    const change = (name: string) => {
      const { query, variables } = queries.find((each: { query: string }) => each.query.includes(`mutation ${name}(`));
      return own.client.graphql(token, query, variables);
    };
    expect((await change('ReopenGoal')).body.errors).toBeUndefined();
    await expect.poll(shown, patience).toContain('"GOAL_REOPENED"');
    expect((await change('DeleteResourceHubFile')).body.errors).toBeUndefined();
    await expect.poll(shown, patience).toContain('"RESOURCE_HUB_FILE_DELETED"');

    await page.getByRole('button', { name: /stop query/i }).click();
    await page.getByRole('status').getByText('200 OK · stopped').waitFor();
    const ended = () => own.lines().filter(({ msg }) => msg === 'stream ended');
    await expect.poll(ended, patience).toMatchObject([{ events: 2, ending: 'left' }]);
    await page.getByRole('button', { name: /execute query/i }).waitFor();
    await choose(page, 'Viewer');
    expect(await run(page)).toHaveProperty('data.viewer');
  });

  test('the demo leaves its session and what was typed in the tab, no token, and nothing after it', async () => {
    const page = await open('/graphql');
    const { write } = await page.evaluate(() => ({
      write: JSON.parse(document.getElementById('settings')?.textContent ?? '').token,
    }));
    await run(page);
    await page.waitForTimeout(700);
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({});
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(write);
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict', expires: -1 }]);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  test('GraphiQL opens the query and variables of a link, copies such a link, and keeps what is typed', async () => {
    const query = 'query Mine($first: Int) { goals(first: $first) { nodes { id } } }';
    const link = `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent('{"first":1}')}`;
    const page = await open(link, { permissions: ['clipboard-read', 'clipboard-write'] });
    await editor(page).getByText('Mine', { exact: true }).waitFor();
    expect(await run(page)).toMatchObject({ data: { goals: { nodes: [{}] } } });
    expect(new URL(page.url()).search).toBe('');

    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied').waitFor();
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(Object.fromEntries(copied.searchParams)).toEqual({ query, variables: '{"first":1}' });

    await choose(page, 'Viewer');
    await editor(page).locator('.CodeMirror').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# typed');
    await page.waitForTimeout(1000);
    await page.reload();
    await expect.poll(() => editor(page).innerText(), patience).toContain('# typed');
    expect(await run(page)).toHaveProperty('data.viewer');
    const menu = page.getByRole('combobox', { name: 'Example' });
    expect(await menu.locator('option:checked').innerText()).toBe('Choose…');
    await choose(page, 'Viewer');
    expect(await editor(page).innerText()).not.toContain('# typed');
    expect(await menu.locator('option:checked').innerText()).toBe('Viewer');
    await choose(page, 'Goal');
    expect(await menu.locator('option:checked').innerText()).toBe('Goal');
  });

  test.each([
    ['/', /\n {2}-d '\{"file_id":"file-home-screen"\}'$/],
    ['/docs', /\n {2}-d '\{"file_id":"FILE_ID"\}'$/],
  ])('a copy button of %s copies the command beside it, and says so itself', async (path, body) => {
    const page = await open(path, { permissions: ['clipboard-read', 'clipboard-write'] });
    const button = page.getByRole('button', { name: 'Copy: Delete a file' });
    await button.click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^curl -sS http:\/\/localhost:\d+\/api\/external\/v1\/delete_resource_hub_file \\\n/);
    expect(copied).toMatch(body);
  });

  test('each operation runs from the start page, and again once the page is loaded again', async () => {
    const own = await temporaryServer();
    const page = await open(own.start, { base: own.base, statuses: [404, 409] });
    const run = async (name: string, status = '200 OK') => {
      const block = example(page, name);
      await block.getByRole('button', { name: 'Run' }).click();
      await block.getByRole('status').getByText(status).waitFor();
      await expect.poll(() => block.locator('.run').getAttribute('aria-disabled'), patience).toBeNull();
      return JSON.parse(await block.locator('.result pre').innerText());
    };
    for (const version of [4, 5]) {
      expect((await run('reopenGoal')).goal.is_closed).toBe(false);
      expect((await run('deleteResourceHubFile')).file.id).toBe('file-home-screen');
      expect((await run('restoreDocumentVersion')).restored_version.restored_from_version_number).toBe(version);
      expect((await run('recoverResourceHubFile')).file.id).toBe('file-home-screen');
      await page.reload();
    }
    await run('restoreDocumentVersion');
    expect((await run('restoreDocumentVersion', '409 Conflict')).code).toBe('VERSION_CONFLICT');
    await run('deleteResourceHubFile');
    expect((await run('deleteResourceHubFile', '404 Not Found')).code).toBe('NOT_FOUND');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'What VERSION_CONFLICT means' }).click();
    await page.getByRole('heading', { name: 'VERSION_CONFLICT', level: 1 }).waitFor();
  });

  test.each([
    ['/docs', 'champion person', '#Goal\\.champion', '#Goal\\.name'],
    ['/docs', 'version_conflict', '#restoreDocumentVersion\\.problems tbody tr', '#headers'],
    ['/errors', '409', 'a[href="/errors/VERSION_CONFLICT"]', 'a[href="/errors/NOT_FOUND"]'],
  ])('%s filtered by "%s" shows %s, and not %s', async (path, words, found, other) => {
    const page = await open(path);
    const field = page.getByRole('searchbox');
    await field.fill(words);
    await page.locator(found).filter({ visible: true }).first().waitFor();
    expect(await page.locator(other).first().isVisible()).toBe(false);
    await field.fill('');
    expect(await page.locator('main [hidden] :is(.name, code)').count()).toBe(0);
  });

  test.each(['/', '/docs'])('the keyboard reaches every control of %s, and shows where it is', async (path) => {
    const page = await open(path);
    const controls = page.locator('a:visible, button:visible, pre:visible, summary:visible, input:visible');
    const stops = await controls.count();
    const reached = new Set<string>();
    for (let stop = 0; stop < stops; stop += 1) {
      await page.keyboard.press('Tab');
      const { outline, place } = await page.evaluate(() => {
        const focused = document.activeElement ?? document.body;
        const { x, y } = focused.getBoundingClientRect();
        return { outline: getComputedStyle(focused).outlineWidth, place: `${x} ${y + scrollY} ${focused.outerHTML}` };
      });
      expect(Number.parseFloat(outline), place).toBeGreaterThan(1);
      reached.add(place);
    }
    expect(reached.size).toBe(stops);
  });

  test.each(['/docs#Person.full_name', '/docs#restoreDocumentVersion.problems'])(
    'a link to %s opens the folded part that it leads to',
    async (path) => {
      const page = await open(path);
      const part = page.locator(`[id="${path.split('#')[1]}"] > :last-child`);
      await expect.poll(() => part.isVisible(), patience).toBe(true);
    },
  );

  test('visitors of a gateway get placeholders to copy, and nothing to run', async () => {
    const world = await createWorld();
    const own = await temporaryServer({ DATABASE_URL: world.url });
    const page = await open('/', { base: own.base });
    await page.getByText('GOAL_ID').first().waitFor();
    await page.getByRole('button', { name: 'Copy: Reopen a goal' }).waitFor();
    expect(await page.getByRole('button', { name: /^Run/ }).count()).toBe(0);
  });

  test('visitors see the history of their documents with a token of their own, which the tab alone keeps', async () => {
    const world = await createWorld();
    const { caller, hub } = await world.teamWithHub('space');
    await world.document(hub, caller, ['one', 'two'], { name: 'Mine' });
    const own = await temporaryServer({ DATABASE_URL: world.url });
    const page = await open('/history', { base: own.base, statuses: [401] });
    const field = page.getByLabel(/enter an API token/);
    await field.fill('gp_wrong');
    await page.getByText('This is not a valid token of this gateway').waitFor();
    await field.fill('gp_wröng');
    expect(await page.getByText('This is not a valid token of this gateway').count()).toBe(0);
    await page.getByRole('link', { name: 'What UNAUTHENTICATED means' }).waitFor();
    await field.fill(caller.readOnlyToken);
    await page.getByText('2 versions.').waitFor();
    await page.reload();
    await page.getByText('2 versions.').waitFor();
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({});
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'goalpost.token': caller.readOnlyToken });
    expect(page.url()).toBe(`${own.base}/history`);
    expect(await page.locator('body').innerText()).not.toContain(caller.readOnlyToken);
  });

  test('the history of a document says which versions had a text, and leads to restoring one of them', async () => {
    const own = await temporaryServer();
    const page = await open(own.start, { base: own.base });
    await page.goto(`${own.base}/history?document=doc-launch-plan`);
    const versions = page.getByRole('region', { name: /^Version \d+$/ });
    await expect.poll(() => versions.count(), patience).toBe(5);
    const second = page.getByRole('region', { name: 'Version 2', exact: true });
    await second.getByText('Till and posters: @Lena Fischer').first().waitFor();
    expect(await second.locator('ins').count()).toBeGreaterThan(0);
    const field = page.getByLabel('Text in a version');
    await field.fill('posters GO up');
    await page.getByText('Versions 1 and 4 to 5 have this text.').waitFor();
    expect(await versions.count()).toBe(3);
    await field.fill('old harbor');
    await page.getByText('Versions 2 to 3 have this text. The current version does not.').waitFor();
    await field.fill('nobody wrote this');
    await page.getByText('No version has this text.').waitFor();
    await field.fill('');
    expect(await violationsOf(page)).toEqual([]);

    await second.getByRole('link', { name: 'Restore version 2 in GraphiQL' }).click();
    await editor(page).getByText('Restore', { exact: true }).waitFor();
    expect(await run(page)).toMatchObject({
      data: { restoreDocumentVersion: { restoredVersion: { versionNumber: 6, restoredFromVersionNumber: 2 } } },
    });
  });

  test('the history finds a document by its name, and says that it does not list all', async () => {
    const world = await createWorld();
    const { caller, hub } = await world.teamWithHub('space');
    await world.document(hub, caller, [{ title: 'Front', content: 'front' }], { name: 'Front' });
    const folder = await world.folder(hub);
    const deeper = await world.folder(hub, folder.id);
    const hidden = await world.document(hub, caller, [{ title: 'Deep plan', content: 'deep' }], {
      name: 'Deep plan',
      parentFolderId: deeper.id,
    });
    const own = await temporaryServer({ DATABASE_URL: world.url });
    const page = await open('/history', { base: own.base });
    await page.getByLabel('To see your documents').fill(caller.readOnlyToken);
    await page.getByText('Not all documents are listed').waitFor();
    const menu = page.locator('#document');
    expect(await menu.locator('option').allTextContents()).toEqual(['Front']);
    await page.getByLabel('Name of a document').fill('deep PLAN');
    await page.getByRole('heading', { name: /^Version 1: Deep plan/ }).waitFor();
    expect(await menu.locator('option').allTextContents()).toEqual(['Deep plan']);
    expect(page.url()).toContain(`document=${hidden.id}`);
    await page.getByLabel('Name of a document').fill('nothing like it');
    await page.getByText('No document has this name.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /^Version 1: Deep plan/ }).waitFor();
    expect(await menu.locator('option:checked').innerText()).toBe('Deep plan');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('a Copy button stands below its code, which has the whole width', async () => {
    const page = await open('/');
    const boxes = await page.locator('.token').evaluateAll((blocks) =>
      blocks.map((block) => {
        const [code, button] = ['pre', '.copy'].map((part) => block.querySelector(part)?.getBoundingClientRect());
        return {
          isWide: code?.width === block.getBoundingClientRect().width,
          isBelow: (button?.top ?? 0) >= (code?.bottom ?? 0),
        };
      }),
    );
    expect(boxes.length).toBeGreaterThan(3);
    for (const box of boxes) expect(box).toEqual({ isWide: true, isBelow: true });
  });

  test('the history shows a text of four million characters part by part', async () => {
    const long = 'A line with some words in it.\n'.repeat(4_000_000 / 30 - 10);
    const page = await historyOf([long, `${long}The end.`]);
    await page.getByText('2 versions.').waitFor();
    const second = page.getByRole('region', { name: 'Version 2', exact: true });
    const text = second.getByRole('region', { name: 'Text of version 2' });
    expect((await text.innerText()).length).toBeLessThan(20_000);
    await second.getByRole('button', { name: /^Show part 2 of \d+$/ }).click();
    await second.getByRole('button', { name: /^Show part 3 of \d+$/ }).waitFor();
    expect((await text.innerText()).length).toBeGreaterThan(15_000);
    await page.getByLabel('Text in a version').fill('nobody wrote this');
    await page.getByText('No version has this text. Of long texts, only the parts that are shown').waitFor();
  });

  test('the history reads older versions on demand, up to one that has the text', async () => {
    const page = await historyOf(Array.from({ length: 25 }, (_, index) => `text ${index + 1}.`));
    await page.getByText('The newest 10 of 25 versions.').waitFor();
    const field = page.getByLabel('Text in a version');
    await field.fill('text 4.');
    await page.getByText('No version has this text. Older versions have not been looked at yet.').waitFor();
    await page.getByRole('button', { name: 'Look in older versions' }).click();
    await page.getByText('Version 4 has this text. The current version does not.').waitFor();
    expect(await page.getByRole('button', { name: 'Look in older versions' }).isVisible()).toBe(false);
    await field.fill('');
    await page.getByText('25 versions.').waitFor();
  });

  test('the search of the guide is used by keyboard, without a request for what is typed', async () => {
    const page = await open('/guide');
    const requested: string[] = [];
    await page.keyboard.press('/');
    const field = page.getByRole('searchbox', { name: /^Search the guide/ });
    await expect.poll(() => field.evaluate((element) => element === document.activeElement), patience).toBe(true);
    await page.keyboard.type('idempotency key');
    const outcome = page.locator('#search-outcome');
    await expect.poll(() => outcome.innerText(), patience).toMatch(/^\d+ found/);
    page.on('request', (request) => requested.push(request.url()));
    await page.keyboard.press('Escape');
    expect(await page.getByRole('article').isVisible()).toBe(true);
    for (const [asked, kind, href] of [
      ['version conflict', 'Error', '/errors/VERSION_CONFLICT'],
      ['DATABASE_POOL_SIZE', 'Setting', '/guide/settings#DATABASE_POOL_SIZE'],
      ['reopen goal', 'REST', '/docs#reopenGoal'],
      ['idempotensy key', 'Guide', '/guide/errors#retries'],
    ]) {
      await field.fill(asked ?? '');
      const result = page.locator('#search-results li', { has: page.locator(`a[href="${href}"]`) });
      await expect.poll(() => result.innerText(), patience).toContain(kind);
    }
    expect(requested).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
    await field.fill('DATABASE_POOL_SIZE');
    await expect.poll(() => page.locator('#search-results a').first().innerText()).toBe('DATABASE_POOL_SIZE');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/settings#DATABASE_POOL_SIZE');
    await field.fill('qqqqqq zzzzzz');
    await expect.poll(() => outcome.innerText(), patience).toBe('0 found');
  });
});
