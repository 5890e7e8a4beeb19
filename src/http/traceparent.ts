const current = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;
const later = /^(?!00|ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/;

/** The caller's trace and span out of a W3C `traceparent`, for the log; nothing of one that is not valid. */
export function traceOf(traceparent: string | null): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = current.exec(traceparent ?? '') ?? later.exec(traceparent ?? '') ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}
