import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestHead } from '../requestHead.js';

/**
 * The address that an unauthenticated request counts for: the peer, or the client that the last `trustedProxies`
 * proxies report in `X-Forwarded-For`. An IPv6 client owns a whole /64, so its network counts.
 */
export function clientAddress(request: RequestHead, req: IncomingMessage | undefined, trustedProxies: number): string {
  const peer = req?.socket.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return network(peer);
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  const hops = [...forwarded.map((hop) => hop.trim()), peer];
  const claimed = hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer;
  return network(isIP(claimed) ? claimed : peer);
}

function network(address: string): string {
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address); // turns an IPv4 address written as IPv6 into IPv4
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}
