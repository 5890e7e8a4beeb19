import type { Encryption } from '../../database/servers/tls/encryption.js';
import { isLoopback } from '../../http/loopback.js';
import { type Finding, fine, note } from './finding.js';

const verified = {
  'authority and host': fine('the certificate and the host name of the server are verified'),
  authority: fine('the certificate of the server is verified, its host name is not'),
  nothing: note('the certificate of the server is not verified: set sslmode=verify-full and sslrootcert in the URL'),
};

/** Whether a connection is encrypted, as far as the other end, and how sure that end is the right one. */
export function encryptionFinding(address: string, { tls, verified: what, host, isAtServer }: Encryption): Finding {
  const connection = `the connection to ${address} is`;
  if (tls) {
    const { kind, text } = verified[what];
    const beyond = isAtServer ? '' : '. A pooler or proxy there goes on to PostgreSQL without TLS';
    return { kind, text: `${connection} encrypted (${tls}); ${text}${beyond}` };
  }
  const beyond = isAtServer ? '. A pooler or proxy there goes on to PostgreSQL with TLS' : '';
  return isLoopback(host) || host.startsWith('/')
    ? fine(`${connection} not encrypted; it stays on this machine${beyond}`)
    : note(`${connection} not encrypted: set sslmode=verify-full and sslrootcert in the URL${beyond}`);
}
