import { isIP, isIPv4 } from 'node:net';
import { GraphQLError } from 'graphql';
import ipaddr from 'ipaddr.js';
import { Cache } from '../caching/index.js';
import type { Caller } from './queue.js';

interface Sender {
  peer: string | undefined;
  forwardedFor: string | null | undefined;
}

/** The address of a client, as the last `trustedProxies` proxies report it; of IPv6 its /64, which a client owns whole. */
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

/** A request, of which the headers count. */
export interface CountedRequest {
  readonly headers: Pick<Headers, 'get'>;
}

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

/** About 20 MB. */
const tokensKept = 50_000;

/** Whose request it is, before anything is looked up: by its token if that was valid last, else by its address. */
export class Callers {
  readonly #principals = new Cache<string, Principal>(tokensKept);
  readonly #trustedProxies: number;

  readonly #tokenOf: (authorization: string | null) => string | undefined;

  /** `tokenOf` says under which key the token of an `Authorization` header is known; undefined if it cannot be one. */
  constructor(trustedProxies: number, tokenOf: (authorization: string | null) => string | undefined) {
    this.#trustedProxies = trustedProxies;
    this.#tokenOf = tokenOf;
  }

  clientOf({ headers }: CountedRequest, peer: string | undefined): Client {
    const address = clientAddress({ peer, forwardedFor: headers.get('x-forwarded-for') }, this.#trustedProxies);
    return { address, token: this.#tokenOf(headers.get('authorization')) };
  }

  callerOf({ address, token }: Client): Caller {
    const principal = token && this.#principals.get(token);
    return principal ? { id: token, flow: principal.companyId } : { id: address, flow: address };
  }

  /** Whose token it was when it was looked up last; undefined if it was not valid. */
  lastPrincipalOf({ token }: Client): Principal | undefined {
    return token === undefined ? undefined : this.#principals.get(token);
  }

  /** Looks a token up, and notes whose it is, or that it is not valid any more. */
  async learn<Found extends Principal>({ token }: Client, lookUp: Promise<Found>): Promise<Found> {
    try {
      const found = await lookUp;
      const { companyId, personId, tokenId } = found;
      if (token) this.#principals.set(token, { companyId, personId, tokenId });
      return found;
    } catch (error) {
      const isInvalid = error instanceof GraphQLError && error.extensions.code === 'UNAUTHENTICATED';
      if (token && isInvalid) this.#principals.delete(token);
      throw error;
    }
  }
}
