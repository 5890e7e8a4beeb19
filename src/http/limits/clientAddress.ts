import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whom to count an unauthenticated request for: the peer, or what the last `trustedProxies` proxies say of it in
 * `X-Forwarded-For`. An IPv6 client owns a whole /64, so that counts as one.
 */
export function clientAddress(request: Request, req: IncomingMessage | undefined, trustedProxies: number): string {
  const peer = req?.socket.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return network(peer);
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  const hops = [...forwarded.map((hop) => hop.trim()), peer];
  const claimed = hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer;
  return network(isIP(claimed) ? claimed : peer);
}

function network(address: string): string {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (v4 || isIP(address) !== 6) return v4 ?? address;
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
