import type { Client, ClientBase } from 'pg';
import { type PrimaryLocator, refusalOn } from './primaryLocator.js';
import { SessionClient } from './sessionClient.js';

/** Says nothing against the server. */
const tooManyConnections = '53300';

/** A class of clients that connect to the primary, wherever that is when they connect. */
export const clientOf = (primary: PrimaryLocator) =>
  class PrimaryClient extends SessionClient {
    override connect(callback?: unknown): Promise<Client> {
      // From the start: the server may end a connection before the pool has handed it out, when nobody else listens.
      this.on('error', () => primary.forget());
      const connected = this.#aim()
        .then(() => super.connect())
        .catch((error) => {
          // One that was not even aimed has a socket that nobody else ends.
          this.connection.stream.destroy();
          if (error.code !== tooManyConnections) primary.forget();
          throw error;
        });
      if (typeof callback === 'function') {
        connected.then(
          (client) => callback(null, client),
          (error) => callback(error, this),
        );
      }
      return connected;
    }

    async #aim(): Promise<void> {
      if (!primary.isSearched) return;
      const { host, port } = new SessionClient({ connectionString: await primary.url() });
      this.host = host;
      this.port = port;
      if (this.connection.stream.destroyed) throw new Error('timeout expired');
    }
  };

/** Watches a new connection. Throws if its server turns out to be no primary. */
export async function watch(client: ClientBase, primary: PrimaryLocator, onStalePlan: () => void): Promise<void> {
  if (!(client instanceof SessionClient)) return;
  client.connection.on('errorMessage', ({ code, routine }: { code?: string; routine?: string }) => {
    if (routine === 'RevalidateCachedQuery') onStalePlan();
    if (code !== '25006') return;
    client.hasRefusedWrite = true;
    primary.forget();
  });
  if (!primary.isSearched) return;
  const refusal = await refusalOn(client);
  if (refusal === undefined) return;
  primary.forget();
  throw Object.assign(new Error(`${client.host} is ${refusal}`), { code: '25006' });
}
