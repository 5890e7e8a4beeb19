import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { failure } from '../../errors/failures.js';
import { quoted } from '../../errors/quoted.js';

const maximumDepth = 100;

/**
 * Parses JSON strictly: also rejects values that JSON.parse would silently change or drop (RFC 7493), and deep nesting.
 * Throws MALFORMED_JSON with the `line` and `column` of the problem, counted from 1.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw malformed('the text is empty', 0, 0);
  if (text.startsWith('\uFEFF')) throw malformed('the text starts with a byte order mark', 0, 0);
  visit(text, strictly(text), { disallowComments: true, allowTrailingComma: false });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed((error as Error).message, 0, 0);
  }
}

function strictly(text: string): JSONVisitor {
  const open: Set<string>[] = [];
  const enter = (_offset: number, _length: number, line: number, character: number) => {
    if (open.push(new Set()) > maximumDepth)
      throw malformed(`the value is nested deeper than ${maximumDepth} levels`, line, character);
  };
  const leave = () => void open.pop();
  return {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(name, _offset, _length, line, character) {
      const names = open.at(-1);
      if (names?.has(name)) throw malformed(`the key ${quoted(name)} occurs twice`, line, character);
      names?.add(name);
    },
    onLiteralValue(value, offset, length, line, character) {
      if (typeof value !== 'number' || isExact(text.slice(offset, offset + length), value)) return;
      throw malformed('a double cannot hold the number; send it as a string', line, character);
    },
    onError(code: ParseErrorCode, _offset, _length, line, character) {
      const problem = printParseErrorCode(code).replace(/(?<=[a-z])[A-Z]/g, ' $&');
      throw malformed(problem.toLowerCase(), line, character);
    },
  };
}

/** Whether a double holds the number in the text: finite, with all digits of an integer, not rounded to zero. */
function isExact(text: string, value: number): boolean {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value);
  return Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(text.split(/e/i)[0] ?? ''));
}

const malformed = (problem: string, line: number, character: number) =>
  failure('MALFORMED_JSON', { problem, line: line + 1, column: character + 1 });
