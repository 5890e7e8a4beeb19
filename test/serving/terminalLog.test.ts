import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLogger, logDestination, terminalLine } from '../../src/platform/telemetry/logger.js';

afterEach(() => vi.unstubAllEnvs());

/** Something like stderr, and what was written to it. */
function stderr({ isTTY }: { isTTY: boolean }) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  // The part of a terminal that decides about colours.
  const hasColors = () => !process.env.NO_COLOR;
  return { stream: Object.assign(stream, { isTTY, hasColors }) as NodeJS.WriteStream, written };
}

const isColored = (text = '') => stripVTControlCharacters(text) !== text;

describe('the log', () => {
  test.each([
    ['auto', true, true],
    ['pretty', true, true],
    ['pretty', false, false],
  ] as const)('in the format %s, in a terminal: %s, is text, in colour: %s', (format, isTTY, expected) => {
    const { stream, written } = stderr({ isTTY });
    createLogger('info', logDestination(format, stream)).info('stopping');
    expect(written).toHaveLength(1);
    expect(isColored(written[0])).toBe(expected);
    expect(stripVTControlCharacters(written[0] ?? '')).toMatch(/^\d\d:\d\d:\d\d INFO {2}stopping\n$/);
  });

  test.each(['json', 'pretty'] as const)('in the format %s, is lost where nobody reads it', async (format) => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) });
    const closed = new Promise((resolve) => stream.on('close', resolve));
    // Without a listener, the failure would end the process.
    createLogger('info', logDestination(format, stream as NodeJS.WriteStream)).info('stopping');
    await closed;
  });

  test('is lost while its reader stands still, before it fills the memory', async () => {
    const waiting: (() => void)[] = [];
    let lines = 0;
    const write = (_chunk: unknown, _encoding: unknown, done: () => void) => {
      lines += 1;
      waiting.push(done);
    };
    const stream = new Writable({ write });
    const logger = createLogger('info', logDestination('json', stream as NodeJS.WriteStream));
    const message = 'x'.repeat(10_000);
    for (let index = 0; index < 500; index += 1) logger.info(message);
    expect(stream.writableLength).toBeLessThan(2_200_000);

    while (stream.writableLength > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    const before = lines;
    expect(before).toBeGreaterThan(100);
    logger.info('the reader reads again');
    expect(lines).toBe(before + 1);
  });
});

test('a line in a terminal lets nobody steer it', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(terminalLine(line, false));
  const steering = 'a\x1b[2Jb\x9b2Jc\u202ed\n200 GET';
  const logger = createLogger('info', { write });
  logger.info({ path: steering, requestId: steering, operation: steering, problem: steering }, 'request');
  logger.error({ err: new Error(steering), applied: [steering] }, steering);
  expect(lines.join('')).not.toMatch(/[^\P{C}\n]/u);
  expect(lines[0]?.split('\n')).toHaveLength(2);
});
