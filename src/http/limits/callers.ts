import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../database/query/caller.js';
import { bearerHash } from '../../database/tokens.js';
import type { Actor } from '../../policies/access.js';
import type { RequestHead } from '../requestHead.js';
import { clientAddress } from './clientAddress.js';

/** What a request says of who sent it, before anything is looked up. */
export interface Client {
  address: string;
  /** The hash of its token in base64, if that could be one. */
  token: string | undefined;
}

/** About 20 MB. */
const tokensKept = 50_000;

/**
 * Whose request it is, as long as nothing is looked up: that of a token that has been valid, and of its company; else
 * that of an address. Made-up tokens so get no share of their own.
 */
export class Callers {
  readonly #actors = new LRUCache<string, Actor>({ max: tokensKept });
  readonly #trustedProxies: number;

  constructor(trustedProxies: number) {
    this.#trustedProxies = trustedProxies;
  }

  clientOf({ headers }: RequestHead, peer: string | undefined): Client {
    const address = clientAddress({ peer, forwardedFor: headers.get('x-forwarded-for') }, this.#trustedProxies);
    return { address, token: bearerHash(headers.get('authorization')) };
  }

  callerOf({ address, token }: Client): Caller {
    const actor = token && this.#actors.get(token);
    return actor ? { id: token, group: actor.companyId } : { id: address, group: address };
  }

  /** Whose token it was when it was looked up last; undefined if it was not valid. */
  lastActorOf({ token }: Client): Actor | undefined {
    return token === undefined ? undefined : this.#actors.get(token);
  }

  /** Looks a token up, and notes whose it is, or that it is not valid any more. */
  async learn<Found extends Actor>({ token }: Client, lookUp: Promise<Found>): Promise<Found> {
    try {
      const found = await lookUp;
      const { companyId, personId, tokenId, canWrite } = found;
      if (token) this.#actors.set(token, { companyId, personId, tokenId, canWrite });
      return found;
    } catch (error) {
      const isInvalid = error instanceof GraphQLError && error.extensions.code === 'UNAUTHENTICATED';
      if (token && isInvalid) this.#actors.delete(token);
      throw error;
    }
  }
}
