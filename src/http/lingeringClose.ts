import type { Step } from './route.js';

const lingerMilliseconds = 5_000;

/**
 * After refusing a body half-way (413): says goodbye, and reads on without keeping anything until the client has heard.
 * Node alone would reset the connection, and a client that is still sending would lose the answer.
 */
export function useLingeringClose(): Step {
  return {
    onResponse({ response, serverContext: { req } }) {
      if (response.status !== 413 || !req) return;
      const { socket } = req;
      socket.destroySoon = () => {
        socket.end();
        req.removeAllListeners('data').resume();
        setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
      };
    },
  };
}
