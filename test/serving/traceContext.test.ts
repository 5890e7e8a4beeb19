import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { createWorld, type Json } from '../support/world.js';

const lines: Json[] = [];
const world = await createWorld({
  logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
});
const { caller } = await world.team();
const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

async function logOf(path: string, headers: Record<string, string>) {
  lines.length = 0;
  const { headers: answered } = await world.post(path, caller.token, {}, headers);
  return { line: lines.find(({ msg }) => msg === 'request'), requestId: answered.get('x-request-id') };
}

test.each(['/graphql', '/nowhere'])('%s logs the trace and span of the caller', async (path) => {
  const { line, requestId } = await logOf(path, { traceparent: `00-${trace}-${span}-01` });
  expect(line).toMatchObject({ traceId: trace, spanId: span, requestId });
});

test('a later version of the header is read as far as it is known', async () => {
  const { line } = await logOf('/graphql', { traceparent: `cc-${trace}-${span}-01-what-comes` });
  expect(line).toMatchObject({ traceId: trace, spanId: span });
});

test.each([
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
])('a traceparent that is not valid is left out of the log: %j', async (traceparent) => {
  const { line } = await logOf('/graphql', { traceparent });
  expect(line).not.toHaveProperty('traceId');
  expect(line).not.toHaveProperty('spanId');
});
