import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, isIP, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTls } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { OpenAddresses, urlProblem } from '../../src/webhooks/addresses.js';
import { openSender, type SenderOptions } from '../../src/webhooks/sender.js';
import { makeCertificates } from '../support/certificates.js';
import { thisMachine } from '../support/deliveries.js';
import { eventually } from '../support/eventually.js';

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => void close()));

function sender(options: Partial<SenderOptions> & { allow?: string[] } = {}) {
  const made = openSender({ open: new OpenAddresses(options.allow ?? thisMachine), ...options });
  closing.push(() => made.close());
  return made;
}

const message = (url: string, headers = (_again: boolean): Record<string, string> => ({})) => ({
  url,
  headers,
  body: '{"id":"e"}',
});

/** Listens on this machine until the tests are over. Returns the address without its protocol. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A server that does what a test says with each connection. */
async function rawServer(onConnection: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    count += 1;
    onConnection(socket, count);
  });
  closing.push(() => sockets.forEach((socket) => void socket.destroy()));
  return `http://${await listen(server)}`;
}

describe('a forbidden address is refused before a connection', () => {
  /** Connects to nothing: notes where it would have. */
  function offline(addresses: Record<string, string[]> = {}, allow: string[] = []) {
    const connections: string[] = [];
    const createConnection = (
      options: { host?: string; lookup?: (...given: unknown[]) => void },
      done: (error: Error) => void,
    ) => {
      const connect = (address: string) => {
        connections.push(address);
        done(new Error('not in a test'));
      };
      if (isIP(options.host ?? '')) connect(options.host ?? '');
      else
        options.lookup?.(options.host, { all: true }, (error: Error | null, found: { address: string }[]) =>
          error ? done(error) : connect(found[0]?.address ?? ''),
        );
      return undefined as never;
    };
    const resolve = async (name: string) => addresses[name] ?? [];
    return { connections, sender: sender({ allow, resolve, createConnection: createConnection as never }) };
  }

  const forbidden = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '127.0.0.1.', '0.0.0.0', 'localhost', 'a.localhost'],
    ...['10.0.0.1', '172.31.255.255', '192.168.255.255', '100.64.0.1', '169.254.169.254', '192.0.0.1', '224.0.0.1'],
    ...['[::]', '[::1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]', '[2001:db8::1]'],
    ...['[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[4000::1]'],
  ];

  test.each(forbidden)('https://%s/', async (host) => {
    const { connections, sender: offlineSender } = offline();
    const delivery = await offlineSender.send(message(`https://${host}/`));
    expect(delivery).toMatchObject({ isAcknowledged: false, reason: 'the URL leads to an address that is not public' });
    expect(connections).toEqual([]);
    expect(urlProblem(`https://${host}/`, { open: new OpenAddresses([]), own: [] })).toBeDefined();
  });

  test.each(['10.0.0.1', '[::ffff:127.0.0.1]'])('a name that leads to %s', async (host) => {
    const address = new URL(`https://${host}/`).hostname.replace(/^\[(.*)\]$/, '$1');
    const { connections, sender: offlineSender } = offline({
      'hook.example': [address],
      'both.example': ['93.184.216.34', address],
    });
    for (const name of ['hook.example', 'both.example']) {
      const delivery = await offlineSender.send(message(`https://${name}/`));
      expect(delivery.reason).toBe(`${name} leads to an address that is not public`);
      expect(delivery.address).toBe(address);
    }
    expect(connections).toEqual([]);
  });

  test('what leads through NAT64 is judged by its IPv4 address', async () => {
    const { connections, sender: offlineSender } = offline({ 'hook.example': ['64:ff9b::5db8:d822'] });
    await offlineSender.send(message('https://hook.example/'));
    expect(connections).toEqual(['64:ff9b::5db8:d822']);
    const open = new OpenAddresses(['10.0.0.0/8']);
    expect(open.isOpen('64:ff9b::a00:1', { encrypted: false })).toBe(true);
  });

  test('a name that changes is looked at for each connection', async () => {
    const addresses = { 'hook.example': ['93.184.216.34'] };
    const { connections, sender: offlineSender } = offline(addresses);
    await offlineSender.send(message('https://hook.example/'));
    addresses['hook.example'] = ['127.0.0.1'];
    await offlineSender.send(message('https://hook.example/'));
    expect(connections).toEqual(['93.184.216.34']);
  });

  test('a name that leads nowhere, or is not known', async () => {
    const { sender: offlineSender } = offline();
    expect((await offlineSender.send(message('https://hook.example/'))).reason).toBe(
      'hook.example leads to no address',
    );
    const failing = sender({ resolve: () => Promise.reject(new Error('SERVFAIL')) });
    expect((await failing.send(message('https://hook.example/'))).reason).toBe('hook.example cannot be resolved');
  });

  test('a connection that fails is explained without its address', async () => {
    const error = Object.assign(new Error('connect EPERM 10.0.0.1:443'), { code: 'EPERM', syscall: 'connect' });
    const createConnection = (_options: unknown, done: (error: Error) => void) => void done(error);
    const failing = sender({ resolve: async () => ['93.184.216.34'], createConnection: createConnection as never });
    expect((await failing.send(message('https://hook.example/'))).reason).toBe('the connection failed (EPERM)');
  });

  test('public ones are open with https only; ranges of WEBHOOK_ALLOW with http too, link-local ones never', async () => {
    const everything = ['0.0.0.0/0', '::/0'];
    const { connections, sender: everywhere } = offline({}, everything);
    for (const host of ['10.0.0.1', '127.0.0.1', '[fd00::1]', '93.184.216.34'])
      await everywhere.send(message(`http://${host}/`));
    expect(connections).toHaveLength(4);
    for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:a9fe:a9fe]', '0.0.0.0', '224.0.0.1'])
      await everywhere.send(message(`http://${host}/`));
    expect(connections).toHaveLength(4);
    const { connections: closed, sender: closedSender } = offline();
    await closedSender.send(message('http://93.184.216.34/'));
    expect(closed).toEqual([]);
    await closedSender.send(message('https://93.184.216.34/'));
    await closedSender.send(message('https://[2606:2800:220:1::1]/'));
    expect(closed).toEqual(['93.184.216.34', '2606:2800:220:1::1']);
  });
});

describe('an endpoint that', () => {
  const respond = (head: string, body = '') =>
    rawServer((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\nconnection: close\r\n\r\n${body}`)),
    );

  test.each(['200 OK', '299 Odd'])('answers %s has acknowledged', async (head) => {
    expect(await sender().send(message(await respond(head)))).toMatchObject({
      isAcknowledged: true,
      status: Number(head.slice(0, 3)),
    });
  });

  test.each([301, 308])('redirects (%s) has failed, and its target is not asked', async (status) => {
    let asked = 0;
    const target = createHttp((_request, response) => {
      asked += 1;
      response.end();
    });
    const url = await respond(`${status} Moved\r\nlocation: http://${await listen(target)}`);
    expect(await sender().send(message(url))).toMatchObject({ isAcknowledged: false, status });
    expect(asked).toBe(0);
  });

  test('fails says why in at most 1,000 bytes', async () => {
    const delivery = await sender().send(message(await respond('500 Oh', `no\0${'x'.repeat(5000)}`)));
    expect(delivery).toMatchObject({ isAcknowledged: false, status: 500 });
    expect(delivery.response).toMatch(/^no\uFFFDx+$/);
    expect(Buffer.byteLength(delivery.response ?? '')).toBe(1_000);
    const wide = await sender().send(message(await respond('500 Oh', '\u{1F600}'.repeat(5000))));
    expect(wide.response).toBe('\u{1F600}'.repeat(250));
  });

  test.each([200, 500])('answers %s without end is read for 16 kB, and no longer than needed', async (status) => {
    let isClosed = false;
    const url = await rawServer((socket) => {
      socket.once('close', () => {
        isClosed = true;
      });
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${status} X\r\ntransfer-encoding: chunked\r\n\r\n`);
        const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
        const timer = setInterval(() => {
          if (socket.destroyed) return clearInterval(timer);
          socket.write(chunk);
        }, 1);
      });
    });
    const since = performance.now();
    const delivery = await sender().send(message(url));
    expect(delivery).toMatchObject({ isAcknowledged: status === 200, status });
    expect(performance.now() - since).toBeLessThan(2_000);
    await eventually(() => expect(isClosed).toBe(true));
  });

  test('never answers is given up in time, and one that never lets in too', async () => {
    const url = await rawServer(() => {});
    const since = performance.now();
    expect(await sender({ timeout: 300 }).send(message(url))).toMatchObject({
      isAcknowledged: false,
      reason: 'there was no response within 0.3 s',
    });
    expect(performance.now() - since).toBeLessThan(2_000);
    const secure = url.replace('http:', 'https:');
    expect(await sender({ connectTimeout: 200 }).send(message(secure))).toMatchObject({
      reason: 'there was no connection within 0.2 s',
    });
  });

  /** Writes a piece again and again, as fast as it is read, until the connection is closed. Counts what was written. */
  function endless(start: string, piece: string, { isSlow = false } = {}) {
    const seen = { written: 0, isClosed: false };
    const url = rawServer((socket) => {
      const more = () => {
        if (socket.destroyed) return;
        socket.write(piece);
        seen.written += piece.length;
        if (isSlow) setTimeout(more, 1);
        else if (socket.writableNeedDrain) socket.once('drain', more);
        else setImmediate(more);
      };
      socket.setNoDelay();
      socket.once('close', () => {
        seen.isClosed = true;
      });
      socket.once('data', () => {
        socket.write(start);
        more();
      });
    });
    return { seen, url };
  }
  /** Long before an idle connection is closed. */
  const closes = (seen: { isClosed: boolean }) =>
    expect.poll(() => seen.isClosed, { timeout: 2_000, interval: 10 }).toBe(true);

  test('answers with hints for ever has failed', async () => {
    const { seen, url } = endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n', { isSlow: true });
    const delivery = await sender().send(message(await url));
    expect(delivery).toMatchObject({ reason: 'the response is too long' });
    await closes(seen);
  });

  test('answers with some hints before it acknowledges has acknowledged', async () => {
    const url = await respond(`103 Early Hints\r\n\r\n${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(4)}HTTP/1.1 204 X`);
    expect(await sender().send(message(url))).toMatchObject({ isAcknowledged: true, status: 204 });
  });

  const ok = 'HTTP/1.1 200 OK\r\n';
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
  test.each([
    ['trailers', `${chunked}0\r\n`, 'x: y\r\n'],
    ['responses that nobody asked for', `${ok}content-length: 0\r\n\r\n`, `${ok}content-length: 0\r\n\r\n`],
  ])('sends endless %s is disconnected before two seconds have passed', async (_, start, piece) => {
    const { seen, url } = endless(start, piece);
    const keeping = sender();
    expect(await keeping.send(message(await url))).toMatchObject({ isAcknowledged: true });
    await closes(seen);
    expect((await keeping.send(message(await url))).isAcknowledged).toBe(true);
  });

  test('sends something on a kept connection after its response is disconnected', async () => {
    const seen = { isClosed: false };
    const url = await rawServer((socket) => {
      socket.once('close', () => {
        seen.isClosed = true;
      });
      socket.once('data', () => {
        socket.write(`${ok}content-length: 0\r\n\r\n`);
        setTimeout(() => socket.write('x'), 100);
      });
    });
    expect((await sender().send(message(url))).isAcknowledged).toBe(true);
    await closes(seen);
  });

  test('resets at any byte of its response has acknowledged only if its head had come', async () => {
    const [head, body] = ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', 'ok'];
    for (let length = 0; length <= head.length + body.length; length += 1) {
      const url = await rawServer((socket) =>
        socket.once('data', () => {
          socket.write((head + body).slice(0, length));
          setTimeout(() => socket.resetAndDestroy(), 10);
        }),
      );
      const { isAcknowledged } = await sender().send(message(url));
      expect([length, isAcknowledged]).toEqual([length, length >= head.length]);
    }
  });

  test('wants a key exchange whose size it chooses gets no connection', async () => {
    const rsa = execFileSync('openssl', 'req -x509 -newkey rsa:2048 -noenc -keyout - -subj /CN=x'.split(' '), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
    let connections = 0;
    const server = createTls({ key: rsa, cert: rsa, ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' }, () => {
      connections += 1;
    });
    server.on('tlsClientError', () => {});
    const delivery = await sender().send(message(`https://${await listen(server)}`));
    expect(delivery.reason).toMatch(/handshake failure/);
    expect(connections).toBe(0);
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['closes without a word', (socket) => void socket.end(), /reset|closed/],
    ['speaks no HTTP', (socket) => void socket.end('220 smtp.example.com\r\n'), /not HTTP/],
    [
      'has an endless head',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
      /headers|HTTP/,
    ],
    [
      'switches protocols',
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      /^$/,
    ],
  ])('%s has failed', async (_, answer, reason) => {
    const url = await rawServer((socket) => socket.once('data', () => answer(socket)));
    const delivery = await sender().send(message(url));
    expect(delivery.isAcknowledged).toBe(false);
    expect(delivery.reason ?? '').toMatch(reason);
  });

  test('closes a kept connection gets the request on a new one, marked as sent again', async () => {
    const attempts: boolean[] = [];
    const url = await rawServer((socket, count) => {
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (count === 1 && requests === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const keeping = sender();
    const headers = (again: boolean) => {
      attempts.push(again);
      return {};
    };
    const send = async () => {
      await sleep(20);
      return keeping.send(message(url, headers));
    };
    expect(await send()).toMatchObject({ isAcknowledged: true, isSentAgain: false });
    expect(await send()).toMatchObject({ isAcknowledged: true, isSentAgain: true });
    expect(attempts).toEqual([false, false, true]);
    expect(await send()).toMatchObject({ isAcknowledged: true, isSentAgain: false });
  });

  test('has a certificate that is expired, or of an unknown authority, gets nothing', async () => {
    const { file, remove } = await makeCertificates();
    closing.push(() => void remove());
    let asked = 0;
    for (const name of ['server', 'expired']) {
      const server = createHttps(
        { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.pem`)) },
        (_request, response) => {
          asked += 1;
          response.end();
        },
      );
      const delivery = await sender().send(message(`https://${await listen(server)}`));
      expect(delivery).toMatchObject({ isAcknowledged: false, reason: expect.stringMatching(/^TLS: |certificate/) });
    }
    expect(asked).toBe(0);
  });

  test.each([
    ['429', '7', 7],
    ['503', '90000', 3600],
    ['503', 'soon', undefined],
    ['500', '7', undefined],
  ])('answers %s with Retry-After %s', async (status, after, seconds) => {
    const delivery = await sender().send(message(await respond(`${status} X\r\nretry-after: ${after}`)));
    expect(delivery.retryAfter).toBe(seconds);
  });
});
