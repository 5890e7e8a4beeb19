import type { Trial } from './demo.js';
import type { ExampleRequest } from './workedExamples.js';

/** A request that fails, to meet its answer before it matters. */
export interface Mistake {
  label: string;
  path: string;
  body: Record<string, unknown>;
  token: string;
}

/** The mistakes worth seeing with an example. Only on the demo, whose tokens the page has. */
export function mistakesWith({ path, body }: ExampleRequest, { token, readOnlyToken }: Trial): Mistake[] {
  if (!token) return [];
  const { expected_current_version: expected } = body;
  const mistakes: Mistake[] = [
    { label: 'A field that does not exist', path, body: { ...body, colour: 'blue' }, token },
  ];
  if (readOnlyToken) mistakes.unshift({ label: 'A read-only token', path, body, token: readOnlyToken });
  if (typeof expected === 'number') {
    mistakes.unshift({
      label: 'A stale version',
      path,
      body: { ...body, expected_current_version: expected - 1 },
      token,
    });
  }
  return mistakes;
}
