import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { typeFor } from '../../../src/platform/graphql/responding.js';
import { requireAcceptable } from '../../../src/platform/http/request.js';

test('little is kept of long Accept headers, which anybody can send', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let index = 0; index < 100; index += 1) {
    const accept = `application/json${`,${index}/a`.repeat(3_000)}`;
    requireAcceptable(accept, ['application/json']);
    expect(typeFor(accept)).toBe('application/json');
  }
  expect(heap() - before).toBeLessThan(5_000_000);
});
