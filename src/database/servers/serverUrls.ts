/** What a URL may ask of a server, as in libpq. Both mean the primary, which accepts writes. */
const primaryOnly = ['read-write', 'primary'];

export interface Servers {
  /** One URL for each server, in the order in which they are tried. */
  urls: string[];
  /** Whether only a primary will do: there are several servers, or the URL says so. */
  needsPrimary: boolean;
}

/**
 * Reads `postgresql://user:password@one:5432,two:5432/database?target_session_attrs=read-write`, as libpq does. Returns
 * undefined if it cannot be read.
 */
export function readServerUrls(url: string): Servers | undefined {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(url) ?? [];
  if (start === '') return undefined;
  const names = hosts.split(',');
  if (names.length > 1 && names.some((name) => name === '' || name.startsWith(':'))) return undefined;
  const urls = names.map((name) => start + name + rest);
  if (!urls.every((each) => URL.canParse(each) && !hasRestOfPassword(new URL(each)))) return undefined;
  const wanted = new URL(urls[0] ?? '').searchParams.get('target_session_attrs');
  if (wanted === null) return { urls, needsPrimary: urls.length > 1 };
  return primaryOnly.includes(wanted) ? { urls: urls.map(withoutWish), needsPrimary: true } : undefined;
}

/** Whether a password with a `/` that is not escaped was read as the database, and what is before it as the server. */
const hasRestOfPassword = ({ pathname }: URL) => pathname.includes('@');

/** The URL without what `pg` does not know. */
function withoutWish(text: string): string {
  const url = new URL(text);
  url.searchParams.delete('target_session_attrs');
  return url.href;
}
