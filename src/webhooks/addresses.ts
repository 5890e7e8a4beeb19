import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What WEBHOOK_ALLOW can open besides public addresses. Link-local ones, as of a cloud's metadata, are not among them. */
const openable = ['unicast', 'private', 'loopback', 'uniqueLocal', 'carrierGradeNat'];

/** IPv6 addresses that are given out at all. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Which addresses webhooks may be sent to: public ones, and the ranges of WEBHOOK_ALLOW. */
export class OpenAddresses {
  readonly #ranges: ReturnType<typeof ipaddr.parseCIDR>[];
  /** Whether any range is open that is not public. */
  readonly hasRanges: boolean;

  constructor(allow: readonly string[]) {
    this.#ranges = allow.map((range) => ipaddr.parseCIDR(range));
    this.hasRanges = allow.length > 0;
  }

  /** Whether it is open. Unencrypted requests reach only the ranges of WEBHOOK_ALLOW. */
  isOpen(address: string, { encrypted }: { encrypted: boolean }): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = parse(address);
    if (!openable.includes(parsed.range())) return false;
    if (this.#ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))) return true;
    return encrypted && isPublic(parsed);
  }
}

/** An IPv4 address written as IPv6, or reached through a NAT64 gateway (RFC 6052), is judged as that. */
function parse(text: string): ReturnType<typeof ipaddr.process> {
  const address = ipaddr.process(text);
  return address.range() === 'rfc6052' ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

const isPublic = (address: ReturnType<typeof ipaddr.process>) =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));

const longest = 2048;

type UrlProblem = { code: 'invalid' | 'too_long'; message: string };

/**
 * Why nothing can be sent to this URL, as far as can be known without asking for its addresses. `own` are the addresses of
 * this gateway: a name of one with the port of another is one too.
 */
export function urlProblem(
  text: string,
  { open, own }: { open: OpenAddresses; own: readonly string[] },
): UrlProblem | undefined {
  if (text.length > longest) return { code: 'too_long', message: `must have at most ${longest} characters` };
  const url = URL.canParse(text) && !/[\s\p{C}]/u.test(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) return invalid('must be an https:// URL');
  if (url.username || url.password) return invalid('must not have a user name or password');
  if (text.includes('#')) return invalid('must not have a fragment');
  if (url.port === '0') return invalid('must not have the port 0');
  const urls = own.map((each) => new URL(each));
  if (urls.some((each) => portOf(each) === portOf(url)) && urls.some((each) => hostOf(each) === hostOf(url)))
    return invalid('must not be the address of this gateway');
  const encrypted = url.protocol === 'https:';
  const address = addressIn(url);
  if (address === undefined) return encrypted || open.hasRanges ? undefined : invalid('must be an https:// URL');
  if (open.isOpen(address, { encrypted })) return undefined;
  return invalid(
    open.isOpen(address, { encrypted: true })
      ? 'must be an https:// URL'
      : 'must lead to a public address, or to one in the ranges of WEBHOOK_ALLOW',
  );
}

const invalid = (message: string): UrlProblem => ({ code: 'invalid', message });

/** The address that a URL names itself, in whatever spelling; undefined if it has a name. */
export function addressIn({ hostname }: URL): string | undefined {
  if (/(^|\.)localhost\.?$/i.test(hostname)) return '127.0.0.1';
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) ? bare : undefined;
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');

/** One spelling for all of a host, and for all that lead to this machine itself. */
function hostOf(url: URL): string {
  const address = addressIn(url);
  if (address === undefined) return url.hostname.replace(/\.+$/, '');
  const parsed = parse(address);
  return ['loopback', 'unspecified'].includes(parsed.range()) ? 'this machine' : parsed.toString();
}
