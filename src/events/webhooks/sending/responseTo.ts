import type { ClientRequest, IncomingMessage } from 'node:http';

/** The connection was kept from an earlier request, and broke before a response came. */
export class StaleConnection extends Error {}

/** The head of the response to a request. */
export const responseTo = (request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && !signal.aborted && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isStale ? new StaleConnection() : error);
    });
    request.once('close', () => reject(new Error('the connection was closed without a response')));
  });
