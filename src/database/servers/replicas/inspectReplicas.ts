import { type Encryption, encryptionOf } from '../tls/encryption.js';
import { reasonOf, withTimedClient } from '../withTimedClient.js';
import { identityOf, NoStandby, replayedBy } from './facts.js';
import { flushedPosition, readPosition } from './logPosition.js';

/** How far a replica is behind, that it is the primary now, or why the gateway would not use it. */
export type InspectedReplica = { address: string } & (
  | { failure: string }
  | { isPrimary: true }
  | { bytesBehind: number; encryption: Encryption }
);

/** Asks every replica whether it follows the primary, at once. `milliseconds` is how long one may take to respond. */
export async function inspectReplicas(
  urls: readonly string[],
  primaryUrl: string,
  milliseconds: number,
): Promise<InspectedReplica[]> {
  const primary = await withTimedClient(primaryUrl, milliseconds, async (client) => ({
    identity: await identityOf(client),
    position: readPosition((await client.query(`SELECT ${flushedPosition} AS position`)).rows[0]?.position),
  }));
  return Promise.all(urls.map((url) => inspectReplica(url, primary, milliseconds)));
}

async function inspectReplica(
  url: string,
  { identity, position }: { identity: string; position: ReturnType<typeof readPosition> },
  milliseconds: number,
): Promise<InspectedReplica> {
  const address = new URL(url).host;
  try {
    return await withTimedClient(url, milliseconds, async (client) => {
      if ((await identityOf(client)) !== identity) return { address, failure: 'it is of another cluster or database' };
      const replayed = await replayedBy(client);
      if (!replayed) return { address, failure: 'it receives nothing from the primary' };
      if (replayed.timeline !== position?.timeline) return { address, failure: 'it is on another timeline' };
      const bytesBehind = Math.max(0, Number(position.lsn - replayed.lsn));
      return { address, bytesBehind, encryption: await encryptionOf(client) };
    });
  } catch (error) {
    if (error instanceof NoStandby) return { address, isPrimary: true };
    return { address, failure: reasonOf(error) };
  }
}
