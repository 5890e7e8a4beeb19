import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { modes, type Parameters, parametersOf } from './parameters.js';

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
