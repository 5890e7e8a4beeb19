import type { Step } from './route.js';

const security = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

/** Adds the security headers, and those that later steps put into `responseHeaders`, to every response. */
export function useResponseHeaders(): Step {
  return {
    onRequest({ serverContext }) {
      serverContext.responseHeaders = { ...security };
    },
    onResponse({ response, serverContext }) {
      for (const [name, value] of Object.entries(serverContext.responseHeaders)) {
        if (name === 'Vary') response.headers.append(name, value);
        else if (!response.headers.has(name)) response.headers.set(name, value);
      }
    },
  };
}
