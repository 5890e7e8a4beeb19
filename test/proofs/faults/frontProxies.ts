import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { freePort } from '../../../src/platform/embedded/server.js';
import type { Certificates } from '../../support/certificates.js';
import { documentedProxies, type ProxyName, replaced } from '../../support/documentedProxies.js';
import { blocksOf, textOf } from '../../support/documents.js';

/** A proxy in front of two gateways, with the configuration that docs/deploying.md has for it. */
export async function startFrontProxy(name: ProxyName, certificates: Certificates, [one, two]: number[]) {
  const folder = await mkdtemp(join(tmpdir(), `goalpost-${name}-`));
  await chmod(folder, 0o755); // nginx serves as a user of its own.
  const port = await freePort();
  const [certificate, key] = [certificates.file('server.pem'), certificates.file('server.key')];
  await writeFile(join(folder, 'both.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  const [documented = ''] = blocksOf(textOf('docs/deploying.md'), name);
  const configuration = documentedProxies[name].configuration(documented, { folder, port, certificate, key });
  const file = join(folder, 'configuration');
  await writeFile(file, replaced(configuration, { ':4001': `:${one}`, ':4002': `:${two}` }));
  const [program = '', ...args] = documentedProxies[name].command(file);
  const child = spawn(program, args, { env: { ...process.env, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit');
  const authority = readFileSync(certificates.file('authority.pem'));
  const client = { host: '127.0.0.1', port, ca: authority, servername: 'localhost', localAddress: '127.0.0.2' };
  const tunnel = createServer((socket) => {
    const secure = connect(client);
    socket.pipe(secure).pipe(socket);
    for (const [end, other] of [
      [socket, secure],
      [secure, socket],
    ] as const)
      end.on('error', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(tunnel, 'listening');
  const { port: tunnelPort } = tunnel.address() as AddressInfo;
  const base = `http://localhost:${tunnelPort}`; // Caddy looks at the host.
  const isReady = () =>
    fetch(`${base}/readyz`)
      .then((response) => response.text())
      .then(
        (text) => text.includes('"ok"'),
        () => false,
      );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${name} did not start: ${output}`);
    await sleep(100);
  }
  return {
    /** Where clients at 127.0.0.2 reach it, without TLS: what they send is encrypted on the way to the proxy. */
    base,
    port,
    authority,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      tunnel.close();
      await rm(folder, { recursive: true });
    },
  };
}
