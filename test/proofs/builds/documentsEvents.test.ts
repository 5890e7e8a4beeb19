import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { secretOf, signatureOf } from '../../../src/webhooks/signature.js';
import { insertWebhook, secretFor, startDeliveries } from '../../support/deliveries.js';
import { blocksOf, pathOf, textOf } from '../../support/documents.js';
import { startReceiver } from '../../support/receiver.js';
import { listening, temporaryFolder } from '../../support/temporary.js';
import { createWorld } from '../../support/world.js';

const page = textOf('docs/events.md');
const world = await createWorld();
const folder = await temporaryFolder();

/** What an endpoint gets of an event. */
async function delivered() {
  const endpoint = await startReceiver();
  const { caller, space, company } = await world.team();
  const goal = await world.goal(space);
  const id = await insertWebhook(world, company.companyId, endpoint.url);
  await world.activity(caller, { action: 'goal_closed', goalId: goal.id });
  const { stop } = startDeliveries(world);
  const [received] = await endpoint.until(1);
  await stop();
  await endpoint.close();
  return { secret: secretFor(company.companyId, id), headers: received?.headers ?? {}, body: received?.text ?? '' };
}

/** The receiver of the page, with a secret. */
async function startExample(secret: string) {
  const [, example = ''] = blocksOf(page, 'js');
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(17);
  await writeFile(
    join(folder, 'receiver.mjs'),
    example.replace('3000', '0, function () { console.log(this.address().port); }'),
  );
  const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env: { SECRET: secret } });
  const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
  const { value: port } = await lines.next();
  const post = async (headers: Record<string, string>, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  const stop = async () => {
    receiver.kill();
    await once(receiver, 'exit');
  };
  return { post, lines, stop };
}

test('the receiver in docs/events.md takes what is signed with its secret, and nothing else', async () => {
  const body = '{"id":"e1","type":"goal.closed","name":"Café"}';
  const secret = secretOf('k'.repeat(32), { companyId: 'c', id: 'w', generation: 1 });
  const other = secretOf('k'.repeat(32), { companyId: 'c', id: 'w', generation: 2 });
  const signed = (seconds: number, secrets: string[]) => {
    const time = String(Math.floor(Date.now() / 1000) + seconds);
    return {
      'webhook-id': 'e1',
      'webhook-timestamp': time,
      'webhook-signature': signatureOf(secrets, 'e1', time, body),
    };
  };
  const { post, lines, stop } = await startExample(secret);
  const statuses = [
    await post(signed(0, [secret]), body),
    await post(signed(0, [other, secret]), body),
    await post(signed(0, [other]), body),
    await post(signed(-3600, [secret]), body),
    await post(signed(0, [secret]), `${body} `),
    await post({}, body),
    await post({ 'webhook-timestamp': 'now', 'webhook-id': 'e1' }, body),
    await post({ ...signed(0, [secret]), 'webhook-signature': 'v1,é v1, ,' }, body),
  ];
  expect(statuses).toEqual([204, 204, 401, 401, 401, 401, 401, 401]);
  expect((await lines.next()).value).toContain("type: 'goal.closed'");
  await stop();
});

test('the receiver in docs/events.md takes what a gateway sends', async () => {
  const { secret, headers, body } = await delivered();
  const { post, stop } = await startExample(secret);
  const sent = Object.entries(headers).filter(([name]) => /^(webhook|goalpost)-|^content-type$/.test(name));
  expect(await post(Object.fromEntries(sent), body)).toBe(204);
  await stop();
});

test('the client in docs/events.md goes on after the last event that it has got', async () => {
  const [example = ''] = blocksOf(page, 'js');
  const { caller, space, company } = await world.team();
  world.startDispatcher();
  const { port } = new URL(await world.base());
  const asked: (string | undefined)[] = [];
  // Cuts the first stream off after its first event.
  const between = createServer((incoming, outgoing) => {
    asked.push(incoming.headers['last-event-id'] as string | undefined);
    const isFirst = asked.length === 1;
    const onward = request({ port, path: incoming.url, method: 'POST', headers: incoming.headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.on('data', (chunk: Buffer) => {
        outgoing.write(chunk);
        if (isFirst && chunk.includes('event: next')) setTimeout(() => outgoing.destroy(), 100);
      });
    });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => {});
    incoming.pipe(onward);
  });
  const base = `http://127.0.0.1:${await listening(between)}`;
  await symlink(pathOf('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'stream.mjs'), example.replace('http://127.0.0.1:4000', base));
  const env = { ...process.env, TOKEN: caller.token };
  const client = spawn(process.execPath, ['stream.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface(client.stdout)[Symbol.asyncIterator]();
  const goal = await world.goal(space);
  const happen = async () => {
    await world.activity(caller, { action: 'goal_closed', goalId: goal.id });
    world.dispatcher.changed(company.companyId);
  };
  const sequenceOf = ({ value }: { value?: string }) => JSON.parse(value ?? '').data.events.sequence;
  await expect.poll(() => world.streams.open, { timeout: 15_000 }).toBe(1);
  await happen();
  expect(sequenceOf(await lines.next())).toBe(1);
  await expect.poll(() => asked.length, { timeout: 15_000 }).toBe(2);
  await happen();
  expect(sequenceOf(await lines.next())).toBe(2);
  expect(asked).toEqual([undefined, expect.any(String)]);
  client.kill();
  await once(client, 'exit');
});
