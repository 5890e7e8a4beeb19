/** What a URL says of TLS. Of a parameter that is given twice, the last counts, as for `pg`, which reads them too. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export const parametersOf = (url: string): Parameters => Object.fromEntries(new URL(url).searchParams);

/** What of the certificate of the server is verified. */
export type Verified = 'nothing' | 'authority' | 'authority and host';

/** The values of `sslmode`, as in libpq. */
export const modes: Readonly<Record<string, Verified>> = {
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
