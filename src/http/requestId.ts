import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Step } from './route.js';
import { traceOf } from './traceparent.js';

const validId = /^[\w.:/+=-]{1,128}$/;

export interface Identity {
  requestId: string;
  traceId?: string;
  spanId?: string;
}

/** The request that the running code belongs to, for log lines written far from it. */
export const currentRequest = new AsyncLocalStorage<Identity>();

/** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
export function identify(header: (name: string) => unknown): Identity {
  const [given, traceparent] = ['x-request-id', 'traceparent'].map((name) => String(header(name) ?? ''));
  return { requestId: given && validId.test(given) ? given : randomUUID(), ...traceOf(traceparent ?? null) };
}

const isGone = ({ socket, destroyed, complete }: IncomingMessage) => socket.destroyed || (destroyed && !complete);

/** Gives every request an id (the caller's `X-Request-Id` if valid), returns it, and logs one line for each answer. */
export function useRequestId(logger: Logger): Step {
  const started = new WeakMap<Request, number>();
  return {
    instrumentation: {
      request: ({ request }, answer) => {
        started.set(request, performance.now());
        return currentRequest.run(currentRequest.getStore() ?? identify((name) => request.headers.get(name)), answer);
      },
    },
    onRequest({ serverContext }) {
      serverContext.requestId = currentRequest.getStore()?.requestId ?? '';
    },
    onResponse({ request, response, serverContext }) {
      response.headers.set('X-Request-Id', currentRequest.getStore()?.requestId ?? '');
      if (serverContext.wasRefused) return;
      logger.info(
        {
          method: request.method,
          path: new URL(request.url).pathname,
          status: response.status,
          milliseconds: Math.round(performance.now() - (started.get(request) ?? 0)),
          tokenId: serverContext.actor?.tokenId,
          ...(serverContext.req && isGone(serverContext.req) && { clientGone: true }),
        },
        'request',
      );
    },
  };
}
