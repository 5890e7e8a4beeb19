import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Place {
  folder: string;
  port: number;
  certificate: string;
  key: string;
}

interface Proxy {
  version: string[];
  /** What it needs besides the documented configuration, to run at a port and with a certificate of a test. */
  configuration: (documented: string, place: Place) => string;
  command: (file: string) => string[];
}

export const documentedProxies = {
  haproxy: {
    version: ['haproxy', '-v'],
    configuration: (documented, { folder, port }) =>
      replaced(documented, { ':443': `127.0.0.1:${port}`, '/etc/ssl/goalpost.pem': join(folder, 'both.pem') }),
    command: (file) => ['haproxy', '-db', '-f', file],
  },
  nginx: {
    version: ['nginx', '-v'],
    configuration: (documented, { folder, port, certificate, key }) => {
      const site = replaced(documented, {
        'listen 443': `listen 127.0.0.1:${port}`,
        'goalpost.example.com': 'localhost',
        '/etc/ssl/goalpost.crt': certificate,
        '/etc/ssl/goalpost.key': key,
      });
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const places = kept.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
      return `daemon off; pid ${join(folder, 'pid')}; events {} http { access_log off; ${places}\n${site}}`;
    },
    command: (file) => ['nginx', '-e', 'stderr', '-c', file],
  },
  caddy: {
    version: ['caddy', 'version'],
    configuration: (documented, { port, certificate, key }) =>
      replaced(documented, {
        '\tauto_https': '\tadmin off\n\tauto_https',
        'goalpost.example.com {': `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      }),
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
} satisfies Record<string, Proxy>;

export type ProxyName = keyof typeof documentedProxies;
export const proxyNames: ProxyName[] = ['haproxy', 'nginx', 'caddy'];

export function isProxyMissing(name: ProxyName): boolean {
  const [program = '', ...args] = documentedProxies[name].version;
  return spawnSync(program, args).error !== undefined;
}

/** Replaces what must be there. */
export function replaced(text: string, values: Record<string, string>): string {
  for (const from of Object.keys(values))
    if (!text.includes(from)) throw new Error(`docs/deploying.md lacks "${from}"`);
  return Object.entries(values).reduce((result, [from, to]) => result.replaceAll(from, to), text);
}
