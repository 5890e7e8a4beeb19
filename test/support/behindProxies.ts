import { freePort } from '../../src/platform/embedded/server.js';
import { makeCertificates } from './certificates.js';
import { createDatabase } from './database.js';
import { isProxyMissing, type ProxyName, proxyNames } from './documentedProxies.js';
import { blocksOf, textOf } from './documents.js';
import { startFrontProxy } from './frontProxies.js';
import { createRestorables } from './restorables.js';
import { startServer } from './server.js';

/** The proxies that are tried: those that are installed, and with CI=true all, so that a missing one fails. */
export const tried = proxyNames.filter((name) => process.env.CI === 'true' || !isProxyMissing(name));

/** The settings that docs/deploying.md has for gateways behind a proxy. */
function documentedSettings(): Record<string, string> {
  const [env = ''] = blocksOf(textOf('docs/deploying.md'), 'ini');
  const lines = [...env.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const { DATABASE_URL: _, PUBLIC_URL: __, ...settings } = Object.fromEntries(lines);
  return settings;
}

/** Two gateways with 12 documents to restore, and each proxy that is tried in front of them. */
export async function startBehindProxies() {
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
