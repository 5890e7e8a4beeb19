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
  let parsed: { value: unknown } | undefined;
  try {
    parsed = { value: JSON.parse(text) };
    if (isCertain(parsed.value, text)) return parsed.value;
  } catch {
    // Said below, with its place.
  }
  visit(text, strictly(text), { disallowComments: true, allowTrailingComma: false });
  if (!parsed) throw malformed('the text is not JSON', 0, 0);
  return parsed.value;
}

/**
 * Whether what JSON.parse has made of a text certainly lacks nothing, as nearly always, which takes a third of the time to
 * find out: no key was dropped if the value has as many as there are quotation marks before a colon in the text.
 */
function isCertain(value: unknown, text: string): boolean {
  let keys = 0;
  const isKept = (part: unknown, depth: number): boolean => {
    if (typeof part === 'number')
      return part !== 0 && (Number.isSafeInteger(part) || (Number.isFinite(part) && !Number.isInteger(part)));
    if (typeof part !== 'object' || part === null) return true;
    if (depth >= maximumDepth) return false;
    const parts = Object.values(part);
    if (!Array.isArray(part)) keys += parts.length;
    return parts.every((inner) => isKept(inner, depth + 1));
  };
  return isKept(value, 0) && keys === (text.match(/"\s*:/g)?.length ?? 0);
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
