import { randomUUID } from 'node:crypto';
import type { Step } from './route.js';
import { currentRequest, type Identity, RequestRecord } from './telemetry/requestRecord.js';
import { traceOf } from './traceparent.js';

const validId = /^[\w.:/+=-]{1,128}$/;

/** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
export function identify(header: (name: string) => unknown): Identity {
  const [given, traceparent] = ['x-request-id', 'traceparent'].map((name) => String(header(name) ?? ''));
  return { requestId: given && validId.test(given) ? given : randomUUID(), ...traceOf(traceparent ?? null) };
}

/** Gives every request its id and record, unless the server has done so already, and returns the id. */
export function useRequestId(): Step {
  const recordOf = (request: Request) => new RequestRecord(identify((name) => request.headers.get(name)));
  return {
    instrumentation: {
      request: ({ request }, answer) => currentRequest.run(currentRequest.getStore() ?? recordOf(request), answer),
    },
    onRequest({ request, serverContext }) {
      const record = currentRequest.getStore() ?? recordOf(request);
      serverContext.record = record;
      serverContext.requestId = record.identity.requestId;
    },
    onResponse({ response, serverContext }) {
      response.headers.set('X-Request-Id', serverContext.requestId ?? '');
    },
  };
}
