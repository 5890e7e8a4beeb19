import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a request says about its client. */
interface Sender {
  /** The other end of the connection. */
  peer: string | undefined;
  /** The header `X-Forwarded-For`. */
  forwardedFor: string | null | undefined;
}

/**
 * The address of a client: the peer, or what the last `trustedProxies` proxies report. An IPv6 client owns a whole /64,
 * so its network counts as its address.
 */
export function clientAddress({ peer = 'unknown', forwardedFor }: Sender, trustedProxies: number): string {
  if (trustedProxies === 0) return network(peer);
  const forwarded = forwardedFor?.split(',') ?? [];
  const hops = [...forwarded.map((hop) => hop.trim()), peer];
  const claimed = hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer;
  return network(isIP(claimed) ? claimed : peer);
}

function network(address: string): string {
  if (isIPv4(address) || !isIP(address)) return address;
  const parsed = ipaddr.process(address); // turns an IPv4 address written as IPv6 into IPv4
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}
