import { createSecureContext } from 'node:tls';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/**
 * What the URL of a database says, for `pg`, with the TLS parameters as libpq means them; `PGSSLMODE` does not count.
 * Reads the files of certificates. Throws if one cannot be read.
 */
export const connectionOf = (url: string): ClientConfig => ({
  ssl: false,
  ...toClientConfig(parse(url, { useLibpqCompat: !url.includes('uselibpqcompat=') })),
});

/** Whether it is the URL of one server with a database. A `/` of a password that is not escaped would end the host. */
export function isDatabaseUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/(?:[^@/?#]*@)?[^@/?#,]*(?:\/[^@?#]*)?(?:[?#].*)?$/.test(text) || !URL.canParse(text))
    return false;
  return new URL(text).pathname.length > 1;
}

/** With others, `pg` may send everything unencrypted. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Why no connection can be made as the URL says; undefined if one can. */
export function connectionProblem(url: string): string | undefined {
  const { searchParams } = new URL(url);
  if (searchParams.has('ssl') || searchParams.getAll('sslmode').some((mode) => !modes.includes(mode)))
    return `has ssl, or an sslmode that is not one of ${modes.join(', ')}`;
  try {
    const { ssl } = connectionOf(url);
    if (typeof ssl === 'object') createSecureContext(ssl);
    return undefined;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}
