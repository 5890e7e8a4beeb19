import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../src/platform/embedded/server.js';
import { Restorer } from '../../../tools/faults/restorer.js';
import { makeCertificates } from '../../support/certificates.js';
import { createDatabase } from '../../support/database.js';
import { isProxyMissing, type ProxyName, proxyNames } from '../../support/documentedProxies.js';
import { blocksOf, sectionOf, textOf } from '../../support/documents.js';
import { askForStream, OpenStream, openStream } from '../../support/openStream.js';
import { pasteInto } from '../../support/pasteInto.js';
import { query } from '../../support/query.js';
import { createRestorables } from '../../support/restorables.js';
import { startServer } from '../../support/server.js';
import { listening } from '../../support/temporary.js';
import { restPaths } from '../../support/world.js';
import { startFrontProxy } from './frontProxies.js';

/** The proxies that are tried: those that are installed, and with CI=true all, so that a missing one fails. */
const tried = proxyNames.filter((name) => process.env.CI === 'true' || !isProxyMissing(name));

/** The settings that docs/deploying.md has for gateways behind a proxy. */
function documentedSettings(): Record<string, string> {
  const [env = ''] = blocksOf(textOf('docs/deploying.md'), 'ini');
  const lines = [...env.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const { DATABASE_URL: _, PUBLIC_URL: __, ...settings } = Object.fromEntries(lines);
  return settings;
}

/** Two gateways with 12 documents to restore, and each proxy that is tried in front of them. */
async function startBehindProxies() {
  const database = await createDatabase();
  const certificates = await makeCertificates();
  const settings = {
    ...documentedSettings(),
    DATABASE_URL: database.gatewayUrl,
    RATE_LIMIT_PER_TOKEN: '1000000',
    LOG_LEVEL: 'info',
  };
  const { token, documents } = await createRestorables(settings, 12);
  const ports = [await freePort(), await freePort()];
  const start = (port: number) => startServer({ ...settings, PORT: String(port) }, { quiet: true });
  const gateways = new Map(await Promise.all(ports.map(async (port) => [port, await start(port)] as const)));
  const proxies = new Map<ProxyName, Awaited<ReturnType<typeof startFrontProxy>>>();
  for (const name of tried) proxies.set(name, await startFrontProxy(name, certificates, ports));
  return {
    token,
    documents,
    ports,
    certificates,
    gateways: () => [...gateways.values()],
    through(name: ProxyName) {
      const proxy = proxies.get(name);
      if (!proxy) throw new Error(`${name} was not started`);
      return proxy;
    },
    async withoutDatabase(milliseconds: number) {
      const name = new URL(database.url).pathname.slice(1);
      const { adminUrl } = inject('database');
      const limit = (connections: number) => query(adminUrl, `ALTER DATABASE ${name} CONNECTION LIMIT ${connections}`);
      await limit(0);
      await query(adminUrl, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await sleep(milliseconds);
      await limit(-1);
    },
    async restart(port: number) {
      await gateways.get(port)?.stop();
      gateways.set(port, await start(port));
    },
    async stop() {
      for (const proxy of proxies.values()) await proxy.stop();
      for (const gateway of gateways.values()) await gateway.stop();
      await certificates.remove();
      await database.drop();
    },
  };
}

const limit = 1_048_576;

describe('behind a proxy with the configuration of docs/deploying.md', () => {
  let scene: Awaited<ReturnType<typeof startBehindProxies>>;
  beforeAll(async () => {
    scene = await startBehindProxies();
  });
  afterAll(() => scene?.stop());

  const reopen = (name: ProxyName, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(scene.through(name).base + restPaths.reopenGoal, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.token}`, 'content-type': 'application/json', ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });

  /** What the gateways have logged of a request. */
  const linesOf = (id: string) =>
    scene.gateways().flatMap((gateway) => gateway.lines().filter(({ requestId }) => requestId === id));

  describe.each(proxyNames)('%s', (name) => {
    test('ends TLS, and passes requests with the address of the client', async ({ skip }) => {
      skip(!tried.includes(name), `${name} is not installed`);
      const forged = { 'x-forwarded-for': '192.0.2.1', 'x-request-id': `address-${name}` };
      const response = await reopen(name, '{"id":"goal-0"}', forged);
      expect(await response.json()).toMatchObject({ goal: { id: 'goal-0' } });
      await expect.poll(() => linesOf(`address-${name}`)).toMatchObject([{ status: 200, client: '127.0.0.2' }]);
      const { port, authority } = scene.through(name);
      const session = connect(`https://localhost:${port}`, { ca: authority });
      onTestFinished(() => session.destroy());
      const [headers] = await once(session.request({ ':path': '/readyz' }), 'response');
      expect(headers[':status']).toBe(200);
    });

    test('refuses a body over the limit of the gateway, and none below', async ({ skip }) => {
      skip(!tried.includes(name), `${name} is not installed`);
      const bodyOf = (bytes: number) => `{"message":"${'x'.repeat(bytes - 14)}"}`;
      expect((await reopen(name, bodyOf(limit))).status).toBe(400); // A message may have 100,000 characters.
      for (const body of [bodyOf(limit + 1), new Blob([bodyOf(2 * limit)]).stream()]) {
        // A client that is still sending may lose the connection before it reads the response.
        const lost = () => 413;
        const status = await reopen(name, body).then((response) => response.status, lost);
        expect(status).toBe(413);
      }
    });

    test('repeats nothing that a gateway has got, and passes by one that does not listen', async ({ skip }) => {
      skip(!tried.includes(name), `${name} is not installed`);
      let got = 0;
      const server = createServer((request, response) => {
        if (request.url === '/readyz') return void response.end('{"status":"ok"}');
        got += 1;
        if (request.url === '/dies') request.resume().once('end', () => request.socket.destroy());
        else response.end();
      });
      const port = await listening(server);
      const proxy = await startFrontProxy(name, scene.certificates, [await freePort(), port]);
      onTestFinished(proxy.stop);
      const { status } = await fetch(`${proxy.base}/dies`, { method: 'POST', body: '{}' });
      expect([status, got]).toEqual([expect.toSatisfy((code) => code === 502 || code === 503), 1]);
      expect((await fetch(`${proxy.base}/lives`)).status).toBe(200);

      const besides = await startFrontProxy(name, scene.certificates, [await freePort(), port]);
      onTestFinished(besides.stop);
      const posts = Array.from({ length: 10 }, () => fetch(`${besides.base}/lives`, { method: 'POST', body: '{}' }));
      expect((await Promise.all(posts)).map((response) => response.status)).toEqual(posts.map(() => 200));
    });
  });

  test('a stream brings each event at once, and outlives a minute without one', async () => {
    const streams = await Promise.all(tried.map((name) => openStream(scene.through(name).base, scene.token)));
    onTestFinished(() => {
      for (const stream of streams) stream.close();
    });
    await sleep(65_000);
    expect(streams.map(({ isOver }) => isOver)).toEqual(tried.map(() => false));
    for (const name of tried) {
      const document = scene.documents.pop();
      const body = { document_id: document?.id, version_number: 1, expected_current_version: document?.version };
      const response = await fetch(scene.through(name).base + restPaths.restoreDocumentVersion, {
        method: 'POST',
        headers: { authorization: `Bearer ${scene.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      for (const stream of streams)
        expect(await stream.events(1)).toMatchObject([{ type: 'DOCUMENT_VERSION_RESTORED' }]);
    }
  });

  /** The numbers of the events that a client of the stream gets, which comes back when it is cut off. */
  async function follow(name: ProxyName): Promise<number[]> {
    const sequences: number[] = [];
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const { base } = scene.through(name);
    const read = async (stream: OpenStream) => {
      for (let block = await stream.event(); block; block = await stream.event()) {
        if (block.data) sequences.push(block.data.data.events.sequence);
      }
    };
    let stream = await openStream(base, scene.token);
    onTestFinished(() => stream.close());
    void (async () => {
      while (!isOver) {
        await read(stream);
        const { lastEventId, retry = 1000 } = stream;
        await sleep(retry);
        const next = await askForStream(base, scene.token, { lastEventId }).catch(() => undefined);
        if (next instanceof OpenStream) stream = next;
      }
    })();
    return sequences;
  }

  /** Asks for the health once a second through each proxy until the test is over, as monitors do. */
  function monitor(): void {
    const timer = setInterval(() => {
      for (const name of tried) void fetch(`${scene.through(name).base}/readyz`).catch(() => {});
    }, 1_000);
    onTestFinished(() => clearInterval(timer));
  }

  test('a database that is away for 3 seconds takes no gateway out', async ({ skip }) => {
    skip(!tried.includes('nginx'), 'nginx is not installed');
    monitor();
    const { base } = scene.through('nginx');
    const restorers = scene.documents.map((document) => new Restorer(base, scene.token, document));
    const running = restorers.map((restorer) => restorer.run());
    await sleep(1_000);
    await scene.withoutDatabase(3_000);
    const since = performance.now();
    for (const restorer of restorers) restorer.stop();
    await Promise.all(running);
    expect(performance.now() - since).toBeLessThan(3_000);
    const statuses = new Set(restorers.flatMap(({ answers }) => answers.map(({ status }) => status)));
    expect([...statuses].toSorted()).toEqual([200, 503]);
  });

  test('the rolling restart of docs/deploying.md loses no request, and a stream no event', async ({ skip }) => {
    skip(tried.length === 0, 'no proxy is installed');
    /** Restarts the gateway at the port that is asked for, as systemd would. */
    const control = createServer(async (request, response) => {
      const port = Number(request.url?.split('@')[1]);
      await scene.restart(port);
      response.end();
    });
    const port = await listening(control);
    const followed = await Promise.all(tried.map(follow));
    const restorers = scene.documents.map((document, index) => {
      const name = tried[index % tried.length] ?? 'nginx';
      return { name, restorer: new Restorer(scene.through(name).base, scene.token, document) };
    });
    const running = restorers.map(({ restorer }) => restorer.run());
    monitor();
    await sleep(1000);
    const [script = ''] = blocksOf(sectionOf(textOf('docs/deploying.md'), 'Rolling restarts'), 'sh');
    const systemctl = `systemctl() { curl -fsS "http://127.0.0.1:${port}/$2"; }\n`;
    await pasteInto('.', systemctl + script, {
      'https://goalpost.example.com': scene.through(tried.includes('nginx') ? 'nginx' : (tried[0] ?? 'nginx')).base,
      4001: String(scene.ports[0]),
      4002: String(scene.ports[1]),
    });
    for (const { restorer } of restorers) restorer.stop();
    await Promise.all(running);
    const answers = restorers.flatMap(({ name, restorer }) => restorer.answers.map(({ status }) => ({ name, status })));
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    for (const sequences of followed) {
      const changes = restorers.flatMap(({ restorer }) => restorer.versions).length;
      await expect.poll(() => sequences.length, { timeout: 60_000 }).toBe(changes);
      expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index));
    }
  });
});
