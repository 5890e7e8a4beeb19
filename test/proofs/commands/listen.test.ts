import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
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
