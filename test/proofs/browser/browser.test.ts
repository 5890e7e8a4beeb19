import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { browsing, requireBrowser, runGraphiql as run, violationsOf } from '../../support/browser.js';
import { chromium } from '../../support/chromium.js';
import { startServer } from '../../support/server.js';
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

  const example = (page: Page, name: string) => page.locator(`[data-example="${name}"]`);

  test('every worked example runs as it is', async () => {
    const page = await open('/graphql');
    const menu = page.getByRole('combobox', { name: 'Example' });
    const [, ...names] = await menu.locator('option').allTextContents();
    expect(names.length).toBeGreaterThanOrEqual(15);
    for (const name of names) {
      await choose(page, name);
      // It has a test of its own, because its response does not end.
      if (name === 'Listen') continue;
      const answer = await run(page);
      expect(answer, name).toHaveProperty('data');
      expect(answer).not.toHaveProperty('errors');
    }
  });

  test('GraphiQL shows an event when something is changed elsewhere, until Stop ends its stream', async () => {
    const own = await startServer({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { quiet: true });
    onTestFinished(own.stop);
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

  test('the copy button copies the example beside it in the language that is shown, and says so itself', async () => {
    const page = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    const block = example(page, 'restoreDocumentVersion');
    const copied = async () => {
      await block.getByRole('button', { name: 'Copy' }).click();
      await block.getByText('Copied', { exact: true }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    expect(await copied()).toMatch(
      /^curl -sS http:\/\/localhost:\d+\/api\/external\/v1\/documents\/restore_document_version \\\n/,
    );
    await example(page, 'reopenGoal').getByRole('radio', { name: 'GraphQL' }).check();
    expect(await copied()).toMatch(/^# .*mutation RestoreDocumentVersion \{/s);
    await block.getByRole('radio', { name: 'JavaScript' }).check();
    expect(await copied()).toMatch(
      /^const response = await fetch\("http:\/\/localhost:\d+\/api\/.*"expected_current_version"/s,
    );
  });

  test('Run keeps what it sent beside the response, and offers the next', async () => {
    const page = await open('/docs');
    const block = example(page, 'restoreDocumentVersion');
    for (const language of ['curl', 'GraphQL', 'Python', 'JavaScript']) {
      await block.getByRole('radio', { name: language }).check();
      await block.getByRole('button', { name: 'Run' }).click();
      await block.getByRole('status').getByText('200 OK').waitFor();
      const chosen = block.getByRole('combobox').locator('option:checked');
      await expect.poll(() => chosen.innerText(), patience).toContain('(restored)');
      if (language !== 'JavaScript') await block.getByRole('button', { name: 'Next: Undo this restore' }).click();
    }
    expect(await block.getByRole('status').textContent()).toMatch(/200 OK in \d+ ms/);
    const [sent, received] = await block.locator('.exchange pre').allTextContents();
    expect(sent).toMatch(/^POST \/api\S+\nAuthorization: Bearer \$TOKEN\n.*\nIdempotency-Key: \S{36}\n\n\{/);
    expect(received).toMatch(/X-Request-Id: .*\nRateLimit-Policy: .*\nRateLimit: .*\n\n\{/);
    expect(received).not.toContain('{\\"type\\":\\"doc\\"');

    await block.getByRole('button', { name: 'Send again with the same key' }).click();
    await block.getByText('Idempotency-Replayed: true').waitFor();
    const current = /"expected_current_version": (\d+)/.exec(sent ?? '')?.[1];
    await block.getByRole('button', { name: 'Next: Undo this restore' }).click();
    expect(await block.locator('code').first().textContent()).toContain(`"version_number": ${current},`);
  });

  test.each([
    ['deleteResourceHubFile', 'deleted', 'Run again would fail with NOT_FOUND', 404],
    ['restoreDocumentVersion', 'restored', 'Run again would fail with VERSION_CONFLICT', 409],
  ])('%s stays on what it has changed, which another run does not change', async (name, done, again, status) => {
    const own = await startServer();
    onTestFinished(own.stop);
    const page = await open(own.start, { base: own.base, statuses: [404, 409] });
    const block = example(page, name);
    const chosen = () => block.getByRole('combobox').locator('option:checked').innerText();
    const sent = () => block.locator('.exchange pre').first().innerText();
    const first = await chosen();
    const command = await block.locator('pre[data-language="curl"]').innerText();
    await block.getByRole('button', { name: 'Run' }).click();
    await block.getByText(again).waitFor();
    await expect.poll(chosen, patience).toBe(`${first} (${done})`);
    expect(await block.locator('pre[data-language="curl"]').innerText()).toBe(command);
    const body = (await sent()).split('\n\n')[1];
    await expect.poll(() => block.getByRole('combobox').isEnabled(), patience).toBe(true);
    await block.getByRole('button', { name: 'Run' }).click();
    await block.getByRole('status').getByText(String(status)).waitFor();
    expect((await sent()).split('\n\n')[1]).toBe(body);
    expect(await chosen()).toBe(`${first} (${done})`);
  });

  test('a preview draws what a restore would change, or whom a reopening would notify, and changes nothing', async () => {
    const page = await open('/docs');
    const restore = example(page, 'restoreDocumentVersion');
    const second = restore.locator('option', { hasText: /: version 2 of/ });
    await restore.getByRole('combobox').selectOption(await second.innerText());
    await restore.getByRole('button', { name: 'Preview' }).click();
    await restore.getByText('Nothing is changed yet').waitFor();
    expect(await restore.locator('ins').count()).toBeGreaterThan(0);
    expect(await restore.locator('del').count()).toBeGreaterThan(0);
    expect(await violationsOf(page)).toEqual([]);
    const reopen = example(page, 'reopenGoal');
    await reopen.getByRole('button', { name: 'Preview' }).click();
    await reopen.getByRole('status').waitFor();
    expect(await reopen.getByRole('status').textContent()).toMatch(/Run would/);
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

  test.each([
    ['A stale version', 409, 'VERSION_CONFLICT'],
    ['A read-only token', 403, 'READ_ONLY_TOKEN'],
    ['A field that does not exist', 400, 'BAD_USER_INPUT'],
  ])('%s is one click away, and its answer leads to what it means', async (mistake, status, code) => {
    const page = await open('/', { statuses: [status] });
    const block = example(page, 'restoreDocumentVersion');
    await block.getByRole('button', { name: mistake }).click();
    await block.getByText(`"code": "${code}"`).waitFor();
    await block.getByRole('link', { name: `What ${code} means` }).click();
    await page.getByRole('heading', { name: code, level: 1 }).waitFor();
  });

  test.each(['/', '/docs'])('the keyboard reaches every control of %s, and shows where it is', async (path) => {
    const page = await open(path);
    const controls = page.locator(
      'a:visible, button:visible, pre:visible, summary:visible, input:checked, textarea:visible, .result pre',
    );
    const stops = await controls.count();
    const reached = new Set<string>();
    for (let stop = 0; stop < stops; stop += 1) {
      await page.keyboard.press('Tab');
      const { outline, place } = await page.evaluate(() => {
        const focused = document.activeElement ?? document.body;
        const shown = focused.closest('.languages label') ?? focused;
        const { x, y } = focused.getBoundingClientRect();
        return { outline: getComputedStyle(shown).outlineWidth, place: `${x} ${y + scrollY} ${focused.outerHTML}` };
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

  test('with a token of their own, visitors try the reference on what they may change; the tab alone keeps it', async () => {
    const world = await createWorld();
    const { caller, space } = await world.team();
    await world.closedGoal(space, { id: 'goal-mine', name: 'Mine' });
    await world.closedGoal(space, { id: 'goal-other', name: 'Other of mine' });
    const own = await startServer({ DATABASE_URL: world.url });
    onTestFinished(own.stop);
    const page = await open('/docs', { base: own.base, statuses: [401] });
    const field = page.getByLabel(/enter an API token/);
    expect(await page.getByRole('button', { name: /^Run/ }).count()).toBe(0);
    await field.fill('gp_wrong');
    await page.getByText('This is not a valid token of this gateway').waitFor();
    expect(await page.getByRole('button', { name: /^Run/ }).count()).toBe(0);
    await field.fill('gp_wröng');
    expect(await page.getByText('This is not a valid token of this gateway').count()).toBe(0);
    await page.getByRole('link', { name: 'What UNAUTHENTICATED means' }).waitFor();

    await field.fill(caller.token);
    const block = example(page, 'reopenGoal');
    await block.getByRole('combobox').selectOption('Other of mine');
    await block.getByText('"id": "goal-other"').first().waitFor();
    await block.getByRole('button', { name: 'Run' }).click();
    const question = page.getByRole('dialog', { name: 'Reopen a goal?' });
    await question.getByText('Other of mine').waitFor();
    await question.getByText('id: "goal-other"').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await block.getByRole('status').count()).toBe(0);
    await block.getByRole('button', { name: 'Run' }).click();
    await question.getByRole('button', { name: 'Reopen a goal' }).click();
    await block.getByRole('status').getByText('200 OK').waitFor();
    const chosen = () => block.getByRole('combobox').locator('option:checked').innerText();
    await expect.poll(chosen, patience).toBe('Other of mine (already open)');

    await page.reload();
    await expect.poll(chosen, patience).toBe('Mine');
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({});
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'goalpost.token': caller.token });
    expect(page.url()).toBe(`${own.base}/docs`);
    expect(await page.locator('body').innerText()).not.toContain(caller.token);
  });

  test('a read-only token previews, and is told that it may change nothing', async () => {
    const world = await createWorld();
    const { caller, space } = await world.team();
    await world.closedGoal(space, { id: 'goal-mine', name: 'Mine' });
    const own = await startServer({ DATABASE_URL: world.url });
    onTestFinished(own.stop);
    const page = await open('/docs', { base: own.base });
    await page.getByLabel(/enter an API token/).fill(caller.readOnlyToken);
    await page.getByText('This token may change nothing. The examples').waitFor();
    const block = example(page, 'reopenGoal');
    const run = block.getByRole('button', { name: 'Run' });
    expect(await run.getAttribute('aria-disabled')).toBe('true');
    await block.getByText('Run is disabled: this token may not do this.').waitFor();
    await block.getByRole('button', { name: 'Preview' }).click();
    await block.getByText('Nothing is changed yet').waitFor();
    await run.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await run.getAttribute('aria-disabled')).toBe('true');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('the history of a document says which versions had a text, and leads to restoring one of them', async () => {
    const own = await startServer();
    onTestFinished(own.stop);
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

    await second.getByRole('link', { name: 'Restore version 2' }).click();
    const block = example(page, 'restoreDocumentVersion');
    await block.getByText('"version_number": 2').first().waitFor();
    await block.getByText('"expected_current_version": 5').first().waitFor();
    expect(await block.getByRole('combobox').locator('option:checked').innerText()).toBe('The request of the link');
  });

  test('the history reads older versions on demand, up to one that has the text', async () => {
    const world = await createWorld();
    const { caller, hub } = await world.teamWithHub('space');
    const texts = Array.from({ length: 25 }, (_, index) => `text ${index + 1}.`);
    await world.document(hub, caller, texts);
    const own = await startServer({ DATABASE_URL: world.url });
    onTestFinished(own.stop);
    const page = await open('/history', { base: own.base });
    await page.getByLabel('To see your documents').fill(caller.readOnlyToken);
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
