import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Caller } from './queue.js';

function network(address: string): string {
  if (!isIPv6(address)) return address;
  // Turns an IPv4 address written as IPv6 into IPv4. Zones, of which it knows fewer than Node, say nothing of a client.
  const parsed = ipaddr.process(address.replace(/%.*/s, ''));
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}

/** What a proxy reports: some add the port, and brackets around IPv6. */
const withoutPort = (hop: string): string => hop.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');

/** What a request says of who sent it, before anything is looked up. */
export interface Client {
  address: string;
  /** The hash of its token in base64, if that could be one. */
  token: string | undefined;
}

/** Who is behind a token that is valid. */
export interface Principal {
  personId: string;
  companyId: string;
  tokenId: string;
}

interface CallersOptions {
  trustedProxies: number;
  /** Under which key the token of an `Authorization` header is known; undefined if it cannot be one. */
  tokenOf: (authorization: string | undefined) => string | undefined;
  /** Called once, with what a trusted proxy reports that is no address: its clients then count as one. */
  onNoAddress?: (claimed: string) => void;
  /** Whose token it was when it was looked up last; undefined if it was not valid. */
  principalOf: (token: string) => Principal | undefined;
}

/** Whose request it is, before anything is looked up: by its token if that was valid last, else by its address. */
export class Callers {
  #hasNamed = false;

  constructor(private readonly options: CallersOptions) {}

  /** The address of a client, as the last trusted proxies report it; of IPv6 its /64, which a client owns whole. */
  addressOf({ remoteAddress: peer = 'unknown' }: Socket, headers: IncomingHttpHeaders = {}): string {
    const { trustedProxies } = this.options;
    if (trustedProxies === 0) return network(peer);
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops = [...forwarded.map((hop) => hop.trim()), peer];
    const claimed = withoutPort(hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer);
    if (isIP(claimed)) return network(claimed);
    if (claimed !== '' && !this.#hasNamed) {
      this.#hasNamed = true;
      this.options.onNoAddress?.(claimed);
    }
    return network(peer);
  }

  clientOf({ headers, socket }: IncomingMessage): Client {
    return { address: this.addressOf(socket, headers), token: this.options.tokenOf(headers.authorization) };
  }

  callerOf(client: Client): Caller {
    const { address, token = address } = client;
    const principal = this.lastPrincipalOf(client);
    return principal ? { id: token, flow: principal.companyId } : { id: address, flow: address };
  }

  lastPrincipalOf({ token }: Client): Principal | undefined {
    return token === undefined ? undefined : this.options.principalOf(token);
  }
}
