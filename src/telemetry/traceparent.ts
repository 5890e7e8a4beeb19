const version00 = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;
const laterVersion = /^(?!00|ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/;

/** The caller's trace and span in a W3C `traceparent`, for the log; nothing if it is invalid. */
export function traceOf(traceparent: string | null): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = version00.exec(traceparent ?? '') ?? laterVersion.exec(traceparent ?? '') ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}
