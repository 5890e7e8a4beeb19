import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretOf, signatureOf } from '../../../src/webhooks/signature.js';
import { insertWebhook, secretFor, startDeliveries } from '../../support/deliveries.js';
import { blocksOf, textOf } from '../../support/documents.js';
import { startReceiver } from '../../support/receiver.js';
import { createWorld } from '../../support/world.js';

const page = textOf('docs/events.md');
const world = await createWorld();

/** What an endpoint gets of an event. */
async function delivered() {
  const endpoint = await startReceiver();
  const { caller, space, company } = await world.team();
  const goal = await world.goal(space);
  const id = await insertWebhook(world, company.companyId, endpoint.url);
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ($1, 'goal_closed', $2, $3, 'Goal')`,
    [company.companyId, caller.id, goal.id],
  );
  const { stop } = startDeliveries(world);
  const [received] = await endpoint.until(1);
  await stop();
  await endpoint.close();
  return { secret: secretFor(company.companyId, id), headers: received?.headers ?? {}, body: received?.text ?? '' };
}

describe('the examples in docs/events.md verify a signature', () => {
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
  const cases = [
    { secret, headers: signed(0, [secret]), body, expected: true },
    { secret, headers: signed(0, [other, secret]), body, expected: true },
    { secret, headers: signed(0, [other]), body, expected: false },
    { secret, headers: signed(-3600, [secret]), body, expected: false },
    { secret, headers: signed(0, [secret]), body: `${body} `, expected: false },
    { secret, headers: {}, body, expected: false },
    { secret, headers: { 'webhook-timestamp': 'now', 'webhook-id': 'e1' }, body, expected: false },
  ];
  const expected = [...cases.map((each) => each.expected), true];
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'goalpost-examples-'));
    await writeFile(join(folder, 'cases.json'), JSON.stringify([...cases, await delivered()]));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const run = (command: string, args: string[]) =>
    JSON.parse(execFileSync(command, args, { cwd: folder, encoding: 'utf8' }));
  const has = (command: string) => spawnSync(command, ['--version']).status === 0;

  test('in Node', async () => {
    const [example = ''] = blocksOf(page, 'js');
    await writeFile(join(folder, 'verify.js'), example);
    const main = `import { readFileSync } from 'node:fs';
      const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
      console.log(JSON.stringify(cases.map(({ secret, headers, body }) => verify(secret, headers, body))));`;
    await writeFile(join(folder, 'verify.mjs'), `${example}\n${main}`);
    expect(run(process.execPath, ['verify.mjs'])).toEqual(expected);
  });

  test('in Node, in a receiver', async () => {
    const [, example = ''] = blocksOf(page, 'js');
    await writeFile(
      join(folder, 'receiver.mjs'),
      example.replace('3000', '0, function () { console.log(this.address().port); }'),
    );
    const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env: { SECRET: secret } });
    const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
    const { value: port } = await lines.next();
    const post = async (text: string) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: signed(0, [secret]), body: text })).status;
    expect([await post(`${body} `), await post(body)]).toEqual([401, 204]);
    expect((await lines.next()).value).toContain("type: 'goal.closed'");
    receiver.kill();
    await once(receiver, 'exit');
  });

  test.runIf(has('python3'))('in Python', async () => {
    const [example = ''] = blocksOf(page, 'python');
    const main = `import json
cases = json.load(open('cases.json', encoding='utf8'))
print(json.dumps([verify(c['secret'], c['headers'], c['body'].encode()) for c in cases]))`;
    await writeFile(join(folder, 'verify.py'), `${example}\n${main}\n`);
    expect(run('python3', ['verify.py'])).toEqual(expected);
  });

  test.runIf(spawnSync('go', ['version']).status === 0)('in Go', async () => {
    const example = (blocksOf(page, 'go')[0] ?? '')
      .replace('package webhooks', 'package main')
      .replace('import (', 'import (\n"encoding/json"\n"fmt"\n"os"');
    const main = `func main() {
  text, _ := os.ReadFile("cases.json")
  var cases []struct { Secret string; Headers map[string]string; Body string }
  json.Unmarshal(text, &cases)
  results := []bool{}
  for _, each := range cases {
    header := http.Header{}
    for name, value := range each.Headers { header.Set(name, value) }
    results = append(results, Verify(each.Secret, header, each.Body))
  }
  out, _ := json.Marshal(results)
  fmt.Println(string(out))
}`;
    await writeFile(join(folder, 'verify.go'), `${example}\n${main}\n`);
    expect(run('go', ['run', 'verify.go'])).toEqual(expected);
  });
});
