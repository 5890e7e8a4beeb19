import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { followEvents } from '../../../src/commands/listen.js';
import { builtMain, goalpost } from '../../support/goalpost.js';
import { startServer } from '../../support/server.js';
import { createWorld, restPaths } from '../../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();

/** `goalpost listen`, and what it has printed. */
function listen(args: string[], settings: Record<string, string>) {
  const child = spawn(process.execPath, [builtMain, 'listen', ...args], { env: { ...process.env, ...settings } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    printed.out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    printed.err += piece;
  });
  return { child, printed, exited: once(child, 'exit') };
}

const slow = { timeout: 30_000 };

test('prints and forwards each event, signed, also after the gateway was away', { timeout: 90_000 }, async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await text(req) });
    res.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const settings = { DATABASE_URL: world.url };
  const first = await startServer(settings, { quiet: true });
  const { port } = new URL(first.base);
  const forwardTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const args = ['--gateway', `http://127.0.0.1:${port}`, '--forward-to', forwardTo];
  const { child, printed, exited } = listen(args, { TOKEN: caller.token });
  await expect.poll(() => printed.err, slow).toContain('Forwarding to');
  const reopen = async (base: string) => {
    const { id } = await world.closedGoal(space);
    const response = await fetch(base + restPaths.reopenGoal, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
    expect(response.status).toBe(200);
  };
  await reopen(first.base);
  await expect.poll(() => printed.out, slow).toMatch(/#1 {2}goal\.reopened .*\n {2}204 in \d+ ms\n/);
  await first.stop();
  await expect.poll(() => printed.err, slow).toContain('Not connected');
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT company_id, 'goal_closed', $2, id, name FROM goals WHERE company_id = $1 LIMIT 1`,
    [space.companyId, caller.id],
  );
  const second = await startServer({ ...settings, PORT: port }, { quiet: true });
  onTestFinished(second.stop);
  await expect.poll(() => received.length, slow).toBe(2);
  const secret = /whsec_(\S+)/.exec(printed.err)?.[1] ?? '';
  for (const { headers, body } of received) {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
    const hmac = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`);
    expect(signature).toBe(`v1,${hmac.digest('base64')}`);
    expect(JSON.parse(body)).toMatchObject({ id, company_id: space.companyId, data: { author_id: caller.id } });
  }
  child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  expect(printed.err).toContain('Go on from here with --after ');
});

test.each([
  ['a wrong token', { TOKEN: `gp_${'x'.repeat(43)}` }, [], 1, 'refuses the stream'],
  ['no token', { TOKEN: '', DATA_DIR: '/nowhere' }, [], 2, 'there is no token'],
  ['an address without a gateway', { TOKEN: 'gp_x' }, ['--gateway', 'http://127.0.0.1:1'], 1, 'There is no gateway'],
  ['what is no address', { TOKEN: 'gp_x' }, ['--forward-to', 'nowhere'], 2, '--forward-to takes'],
])('%s is said clearly', async (_case, settings, args, code, message) => {
  const outcome = await goalpost(['listen', '--gateway', await world.base(), ...args], settings);
  expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

/** Something else than a gateway. Returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function follow(url: string) {
  const notes = { onListening: () => {}, onLost: () => {}, onCursor: () => {} };
  const wanted = { actions: undefined, after: undefined };
  return followEvents({ url, token: 'gp_x' }, wanted, new AbortController().signal, notes);
}

const megabyte = 1_000_000;

test.each([
  ['a refusal', 500, 'application/json', 'it responded with 500, and is no gateway'],
  ['a page', 200, 'text/html', 'it responded with 200, and is no gateway'],
  ['an event', 200, 'text/event-stream', 'sent too much at once'],
])('%s without an end is read for a moment only', async (_case, status, type, message) => {
  let sent = 0;
  const url = await serve(async (_req, res) => {
    res.writeHead(status, { 'content-type': type });
    res.write('data: ');
    while (sent < 100 * megabyte && !res.destroyed) {
      sent += megabyte;
      if (res.write('x'.repeat(megabyte))) continue;
      await Promise.race([once(res, 'drain'), once(res, 'close')]);
    }
    res.end();
  });
  await expect(follow(url).next()).rejects.toThrow(message);
  // What is on its way counts as well: the buffers of both sockets.
  expect(sent).toBeLessThan(16 * megabyte);
});

test('a gateway that is given up is not listened to any longer', async () => {
  let isClosed = false;
  const url = await serve((_req, res) => {
    res.once('close', () => {
      isClosed = true;
    });
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"errors":[{"message":"no"}]}\n\n');
  });
  await expect(follow(url).next()).rejects.toThrow('The gateway says: no');
  await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true);
});

test('what a gateway says cannot control the terminal', async () => {
  const body = JSON.stringify({ errors: [{ message: '\u001b]0;owned\u0007' }] });
  for (const [status, type, text] of [
    [400, 'application/json', body],
    [200, 'text/event-stream', `data: ${body}\n\n`],
  ] as const) {
    const gateway = await serve((_req, res) => void res.writeHead(status, { 'content-type': type }).end(text));
    const { stderr } = await goalpost(['listen', '--gateway', gateway], { TOKEN: 'gp_x' });
    expect(stderr).toContain('\\u{1b}]0;owned');
    expect(stderr).not.toContain('\u001b');
  }
});

test('the demo needs no option, and its token goes nowhere else', { timeout: 90_000 }, async () => {
  const demo = await startServer({ DATABASE_URL: '' }, { quiet: true });
  onTestFinished(demo.stop);
  const settings = { DATABASE_URL: '', TOKEN: '', DATA_DIR: dirname(demo.announced.tokens ?? '') };
  const { port, origin } = new URL(demo.announced.graphql);
  // Whatever the settings of this terminal are; by another name, it is still the address of the demo that is used.
  for (const args of [[], ['--gateway', `http://localhost:${port}`]]) {
    const { child, printed, exited } = listen(args, { ...settings, PORT: '1' });
    await expect.poll(() => printed.err, slow).toContain(`Listening to ${origin}/graphql`);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }
  let requests = 0;
  const stranger = await serve((_req, res) => {
    requests += 1;
    res.end();
  });
  for (const gateway of [stranger, `https://127.0.0.1:${port}`, `http://127.0.0.1.example.com:${port}`]) {
    const { code, stderr } = await goalpost(['listen', '--gateway', gateway], settings);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `goalpost: there is no token for ${gateway}: set TOKEN. The token of the demo is for ${origin} only\n`,
    );
  }
  expect(requests).toBe(0);
});
