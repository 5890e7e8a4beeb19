import type { Step } from './route.js';

/** The security headers. Answers that may be kept say so themselves. */
export const alwaysSent = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Adds the headers that are always sent, and those that later steps put into `responseHeaders`, to every response. */
export function useResponseHeaders(): Step {
  return {
    onRequest({ serverContext }) {
      serverContext.responseHeaders = { ...alwaysSent };
    },
    onResponse({ response, serverContext }) {
      for (const [name, value] of Object.entries(serverContext.responseHeaders)) {
        if (name === 'Vary') response.headers.append(name, value);
        else if (!response.headers.has(name)) response.headers.set(name, value);
      }
    },
  };
}
