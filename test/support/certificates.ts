import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverAccount } from '../../src/platform/embedded/server.js';

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];

/** An authority, with a server at `localhost`, also with an expired certificate, and a client; another authority. */
export async function makeCertificates() {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-certificates-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const makeAuthority = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  const sign = (name: string, subject: string, days = 2) => {
    openssl('req', ...key, '-subj', `/CN=${subject}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(file('extensions'), 'subjectAltName=DNS:localhost');
    const by = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-extfile', 'extensions', '-days', String(days)];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`);
  };
  makeAuthority('authority');
  makeAuthority('other');
  sign('server', 'localhost');
  sign('expired', 'localhost', -1);
  sign('client', 'postgres');

  // The server may run as another user, and refuses a key that others can read.
  const server = file('server');
  mkdirSync(server);
  const { uid, gid } = serverAccount();
  const own = (path: string, mode: number) => {
    chmodSync(path, mode);
    if (uid && gid) chownSync(path, uid, gid);
  };
  chmodSync(folder, 0o755);
  own(server, 0o700);
  const hand = (name: string, as = name) => {
    copyFileSync(file(name), join(server, as));
    own(join(server, as), 0o600);
    return join(server, as);
  };
  const forServer = { cert: hand('server.pem'), key: hand('server.key'), authority: hand('authority.pem') };
  /** Gives the server another certificate, which it uses once it is told to read its settings again. */
  const replace = (name: 'server' | 'expired') => {
    for (const kind of ['pem', 'key']) hand(`${name}.${kind}`, `server.${kind}`);
  };
  /** Writes a file that only the server reads. */
  const write = (name: string, text: string) => {
    writeFileSync(join(server, name), text);
    own(join(server, name), 0o600);
    return join(server, name);
  };
  const settings = [
    'ssl=on',
    `ssl_cert_file=${forServer.cert}`,
    `ssl_key_file=${forServer.key}`,
    `ssl_ca_file=${forServer.authority}`,
  ];
  return { file, forServer, replace, write, settings, remove: () => rm(folder, { recursive: true }) };
}
