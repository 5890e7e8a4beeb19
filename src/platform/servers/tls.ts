import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { SessionClient } from './sessions.js';

/** A database problem that the operator can solve. The message says how, and is shown without a stack. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** What a URL says of TLS. Of a parameter that is given twice, the last counts, as for `pg`, which reads them too. */
type Parameters = Readonly<Record<string, string | undefined>>;

const parametersOf = (url: string): Parameters => Object.fromEntries(new URL(url).searchParams);

/** What of the certificate of the server is verified. */
export type Verified = 'nothing' | 'authority' | 'authority and host';

/** The values of `sslmode`, as in libpq. */
const modes: Readonly<Record<string, Verified>> = {
  disable: 'nothing',
  require: 'nothing',
  'verify-ca': 'authority',
  'verify-full': 'authority and host',
};

export function verifiedBy(url: string): Verified {
  const { sslmode = 'disable', sslrootcert } = parametersOf(url);
  // As in libpq, which has kept this for old programs.
  return modes[sslmode === 'require' && sslrootcert ? 'verify-ca' : sslmode] ?? 'nothing';
}

/** The URL for `pg`, which then means by these parameters what libpq means. `PGSSLMODE` does not count. */
export function urlForDriver(url: string): string {
  const { sslmode = 'disable', sslrootcert } = parametersOf(url);
  const [address = ''] = url.split('#', 1);
  // Without a file, the public authorities that Node knows count.
  const authorities = sslrootcert === 'system' ? '&sslrootcert=' : '';
  return `${address}${address.includes('?') ? '&' : '?'}uselibpqcompat=true&sslmode=${sslmode}${authorities}`;
}

/** How the connection to a server is encrypted. A pooler is such a server, too. */
export interface Encryption {
  /** Version of TLS and cipher; undefined if it is not encrypted. */
  tls: string | undefined;
  verified: Verified;
  /** A name, an address, or the folder of a local socket. */
  host: string;
  /** Whether PostgreSQL says that the connection it has is encrypted. With a pooler in between, that is another one. */
  isAtServer: boolean;
}

/** How a connection is encrypted, as the server says. */
export async function encryptionOf(client: SessionClient): Promise<Encryption> {
  const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  const { tls, verified, host } = client;
  return { tls, verified, host, isAtServer: rows[0]?.ssl ?? false };
}

const known = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];

/** Why no connection can be encrypted as the URL says: "has sslmode=yes, which …"; undefined if one can. */
export function tlsProblem(url: string): string | undefined {
  const parameters = parametersOf(url);
  return parameterProblem(parameters) ?? escapingProblem(url, parameters) ?? fileProblem(parameters);
}

function parameterProblem(parameters: Parameters): string | undefined {
  const { sslmode, sslrootcert, sslcert, sslkey, sslnegotiation } = parameters;
  const unknown = Object.keys(parameters).find((name) => name.startsWith('ssl') && !known.includes(name));
  if (unknown === 'ssl') return `has ssl=${parameters.ssl}; write sslmode=verify-full or sslmode=require in its place`;
  if (unknown) return `has ${unknown}, which is not supported; of TLS, it may have ${known.join(', ')}`;
  if (sslmode === 'allow' || sslmode === 'prefer')
    return `has sslmode=${sslmode}, which may send everything unencrypted; write sslmode=require or sslmode=disable`;
  if (sslmode !== undefined && !Object.hasOwn(modes, sslmode))
    return `has sslmode=${sslmode}, which must be one of ${Object.keys(modes).join(', ')}`;
  const isPlain = sslmode === undefined || sslmode === 'disable';
  const [needless] = Object.entries({ sslrootcert, sslcert, sslkey }).find(([, file]) => file) ?? [];
  if (isPlain && needless)
    return `has ${needless}, but ${sslmode ? 'sslmode=disable' : 'no sslmode'}; write sslmode=verify-full`;
  if (sslrootcert === 'system' && sslmode !== 'verify-full')
    return 'has sslrootcert=system, which needs sslmode=verify-full, since anybody can get a certificate of a public authority';
  if (sslmode === 'verify-ca' && !sslrootcert)
    return 'has sslmode=verify-ca, which needs sslrootcert, the file of the authority of the server';
  if (sslcert && !sslkey) return 'has sslcert, which needs sslkey too';
  if (sslkey && !sslcert) return 'has sslkey, which needs sslcert too';
  if (sslnegotiation !== undefined && !['postgres', 'direct'].includes(sslnegotiation))
    return `has sslnegotiation=${sslnegotiation}, which must be one of postgres, direct`;
  if (isPlain && sslnegotiation === 'direct') return 'has sslnegotiation=direct, which needs sslmode=verify-full';
  return undefined;
}

/** `pg` escapes all of such a URL once more, and would look for other files. */
function escapingProblem(url: string, { sslmode }: Parameters): string | undefined {
  return sslmode && / |%(?![\da-f]{2})/i.test(url)
    ? 'has a space or a % that is not escaped; write %20 or %25'
    : undefined;
}

function fileProblem({ sslrootcert, sslcert, sslkey }: Parameters): string | undefined {
  try {
    if (sslrootcert && sslrootcert !== 'system') read('sslrootcert', sslrootcert, certificate);
    if (!sslcert || !sslkey) return undefined;
    const cert = read('sslcert', sslcert, certificate);
    const key = read('sslkey', sslkey, {
      kind: 'no private key in PEM without a password',
      test: (text) => createSecureContext({ key: text }),
    });
    read('sslkey', sslkey, { kind: 'not the key of sslcert', test: () => createSecureContext({ cert, key }) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const certificate = { kind: 'no certificate in PEM', test: (text: string) => new X509Certificate(text) };

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** Returns the text of a file. Throws if it cannot be read, or if the test throws: then the file is `kind`. */
function read(name: string, file: string, { kind, test }: { kind: string; test: (text: string) => unknown }): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`has ${name}=${file}, which cannot be read: ${reasons[code] ?? message}`);
  }
  try {
    test(text);
  } catch {
    throw new Error(`has ${name}=${file}, which is ${kind}`);
  }
  return text;
}

/** No connection that the URL allows can be made to the server. */
export class TlsError extends DatabaseError {
  /** SQLSTATE sqlclient_unable_to_establish_sqlconnection. */
  readonly code = '08001';
}

/** What Node and the server say of a connection. */
interface Failure {
  message: string;
  code?: string;
  /** Of OpenSSL, without its numbers. */
  reason?: string;
  /** If the name of the server is not in its certificate. */
  host?: string;
  cert?: { subjectaltname?: string };
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What OpenSSL and Node say of certificates and handshakes, and what `pg` says if the server answers with neither. */
const tlsCodes = /^(ERR_(SSL|TLS)_|CERT_|CRL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)/;
const notAgreed = 'There was an error establishing an SSL connection';

/** The error of a connection; if TLS is the reason, one that says what to set in the URL. */
export function explained(error: Error, url: string): Error {
  const text = explanation(error, parametersOf(url));
  return text === undefined ? error : new TlsError(text, { cause: error });
}

function explanation(failure: Failure, { sslmode = 'disable', sslrootcert, sslcert }: ReturnType<typeof parametersOf>) {
  const { message, code = '', reason = message, host, cert } = failure;
  if (unknownAuthority.has(code))
    return sslrootcert && sslrootcert !== 'system'
      ? `the certificate of the server is not from the authority in sslrootcert (${message}). Set sslrootcert to the file of the right one`
      : `the certificate of the server is from no authority that is known here (${message}). Set sslrootcert to the file of its authority`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the server is not for ${host}, but for ${cert?.subjectaltname || 'no name'}. Connect by a name that it is for, or set sslmode=verify-ca, which does not look at the name`;
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired. Have the server use a new one';
  if (message === 'The server does not support SSL connections')
    return 'the server offers no TLS. Switch it on there (ssl = on), or set sslmode=disable to send everything unencrypted';
  if (sslmode === 'disable' && /no encryption$|SSL required/.test(message))
    return `${message}. If the server takes only encrypted connections, add sslmode=verify-full and sslrootcert to the URL`;
  if (/valid client certificate|certificate authentication failed|alert.*(certificate|unknown ca)/.test(reason))
    return sslcert
      ? `the server does not accept the certificate in sslcert (${reason}). Set sslcert and sslkey to the files of one that it accepts for this role`
      : `the server wants a certificate of the client (${reason}). Set sslcert and sslkey to the files of one that it accepts for this role`;
  return tlsCodes.test(code) || message === notAgreed ? `TLS cannot be agreed with the server (${reason})` : undefined;
}
