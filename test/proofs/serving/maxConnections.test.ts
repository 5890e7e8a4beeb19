import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connections, limitConnections } from '../../../src/platform/http/connections.js';
import { eventually } from '../../support/eventually.js';

test('closes connections over MAX_CONNECTIONS, and counts them', async () => {
  const overload = { countDrop: vi.fn() };
  const listener = createHttpServer((_, res) => void res.end('ok'));
  limitConnections(listener, { most: 1, connections: new Connections(), overload });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const first = connect(port, '127.0.0.1');
  await once(listener, 'connection');
  const second = connect(port, '127.0.0.1').on('error', () => {});
  await once(second, 'close');
  expect(overload.countDrop).toHaveBeenCalledOnce();
  first.destroy();
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200));
});
