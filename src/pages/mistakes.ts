import type { Trial } from './demo.js';
import type { ExampleRequest } from './workedExamples.js';

/** A request that fails, to meet its answer before it matters. */
export interface Mistake {
  label: string;
  path: string;
  body: Record<string, unknown>;
  token: string;
}

/**
 * The mistakes worth seeing with an example: a version that is no longer current, and what any request may get wrong. Only
 * on the demo, whose tokens the page has, and only where there is a version, so that they are shown once.
 */
export function mistakesWith({ path, body }: ExampleRequest, { token, readOnlyToken }: Trial): Mistake[] {
  const { expected_current_version: expected } = body;
  if (!token || typeof expected !== 'number') return [];
  const readOnly = readOnlyToken ? [{ label: 'A read-only token', path, body, token: readOnlyToken }] : [];
  return [
    { label: 'A stale version', path, body: { ...body, expected_current_version: expected - 1 }, token },
    ...readOnly,
    { label: 'A field that does not exist', path, body: { ...body, colour: 'blue' }, token },
  ];
}
