import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { OpenAddresses } from './openAddresses.js';
import type { ResolveName } from './resolveName.js';

/** A name leads to an address that webhooks may not be sent to, or to none. */
export class ForbiddenAddress extends Error {}

/** Shorter than the five seconds after which Node's own server closes an idle connection. */
const idleMilliseconds = 4_000;
const connections = { keepAlive: true, timeout: idleMilliseconds, maxFreeSockets: 8 };

/** Keeps connections for a moment, reads no proxy from the environment, and connects to open addresses only. */
export function openAgents(open: OpenAddresses, resolve: ResolveName) {
  const lookup = (encrypted: boolean) => guardedLookup(resolve, (address) => open.isOpen(address, { encrypted }));
  return {
    'https:': new HttpsAgent({ ...connections, lookup: lookup(true), rejectUnauthorized: true }),
    'http:': new HttpAgent({ ...connections, lookup: lookup(false) }),
  };
}

/** Resolves a name at each connection, and refuses it if a single one of its addresses is not open. */
const guardedLookup =
  (resolve: ResolveName, isOpen: (address: string) => boolean): LookupFunction =>
  (name, { all, family }, callback) => {
    resolve(name).then(
      (addresses) => {
        const refused = addresses.find((address) => !isOpen(address));
        const found = addresses
          .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
          .filter((entry) => !family || entry.family === Number(String(family).replace('IPv', '')));
        const [first] = found;
        if (refused !== undefined) callback(new ForbiddenAddress(`${name} leads to ${refused}, which is not open`), []);
        else if (!first) callback(new ForbiddenAddress(`${name} leads to no address`), []);
        else if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      () => callback(new ForbiddenAddress(`${name} cannot be resolved`), []),
    );
  };
