import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Step } from './route.js';
import { traceOf } from './traceparent.js';

const validId = /^[\w.:/+=-]{1,128}$/;

/** The request that the running code belongs to, for log lines written far from it. */
export const currentRequest = new AsyncLocalStorage<{ requestId: string; traceId?: string; spanId?: string }>();

/** Gives every request an id (the caller's `X-Request-Id` if valid), returns it, and logs one line for each answer. */
export function useRequestId(logger: Logger): Step {
  const started = new WeakMap<Request, number>();
  return {
    instrumentation: {
      request: ({ request }, answer) => {
        const given = request.headers.get('x-request-id') ?? '';
        started.set(request, performance.now());
        const requestId = validId.test(given) ? given : randomUUID();
        return currentRequest.run({ requestId, ...traceOf(request.headers.get('traceparent')) }, answer);
      },
    },
    onRequest({ serverContext }) {
      serverContext.requestId = currentRequest.getStore()?.requestId ?? '';
    },
    onResponse({ request, response, serverContext }) {
      response.headers.set('X-Request-Id', currentRequest.getStore()?.requestId ?? '');
      logger.info(
        {
          method: request.method,
          path: new URL(request.url).pathname,
          status: response.status,
          milliseconds: Math.round(performance.now() - (started.get(request) ?? 0)),
          tokenId: serverContext.actor?.tokenId,
        },
        'request',
      );
    },
  };
}
