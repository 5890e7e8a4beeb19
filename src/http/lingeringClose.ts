import type { Step } from './route.js';

const lingerMilliseconds = 5_000;

/**
 * Closes the connection gently after a 413: sends the answer, then discards what the client still sends. Node alone
 * would reset the connection, and a client that is still sending would lose the answer.
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
