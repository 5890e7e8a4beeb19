import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

// Without an SDK, which only the operator can load, the API does nothing. docs/operating.md, "Traces".
export const tracer = (): Tracer => trace.getTracer('goalpost');

/** Starts the span of a statement, if its request has a span. Returns what ends it. */
export function startStatementSpan(parent: Span | undefined, sql: string): ((error: unknown) => void) | undefined {
  if (!parent) return undefined;
  const [verb = 'SQL'] = /^\w+/.exec(sql.trimStart()) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql };
  const span = tracer().startSpan(verb.toUpperCase(), { kind: SpanKind.CLIENT, attributes });
  return (error) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}
