import fc from 'fast-check';
import type { Json } from '../../../support/world.js';

/** Texts that programs trip over. */
export const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\ufeff',
    '\u202e\u200d',
    'e\u0301'.repeat(50),
    '👩‍👩‍👧‍👦',
    'İıſK',
    '%',
    '%00',
    '%_\\',
    '"; DROP TABLE goals; --',
    '{"type":"doc"',
    '{"type":"doc","content":[{"type":"mention","attrs":{"id":{}}}]}',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '\r\nX-Odd: 1',
    'x'.repeat(100_001),
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** Numbers in JSON, also those that no number in JavaScript holds. */
const oddNumber = fc.constantFrom(
  '0',
  '-0',
  '1',
  '1.0',
  '1e0',
  '-1',
  '1.5',
  '2147483648',
  '9007199254740993',
  '1e400',
  '-1e400',
  '1E-999',
  `1${'0'.repeat(400)}`,
);

const knownOr = (known: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    oddText.map((text) => JSON.stringify(text)),
  );

/** Any JSON, as text, so that it can say what objects in JavaScript cannot: keys twice, and `__proto__`. */
export const oddJson: fc.Arbitrary<string> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', '[]', '{}'),
    oddNumber,
    oddText.map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'id', '__proto__', 'constructor', 'toString', ''), tie('value')), {
        maxLength: 3,
      })
      .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`),
  ),
})).value as fc.Arbitrary<string>;

/** An object in JSON with some of these members, good or bad, and sometimes more or some twice. */
const oddObject = (members: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries(members).map(([name, good]) => [name, fc.oneof({ weight: 5, arbitrary: good }, oddJson)]),
        ),
        { requiredKeys: [] },
      ),
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(members), '__proto__', 'unknown'), oddJson), { maxLength: 1 }),
    )
    .map(
      ([given, more]) =>
        `{${[...Object.entries(given), ...more].map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`,
    );

/** What may go wrong with a good body on its way. */
export const spoiled = (body: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 20, arbitrary: body.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: oddJson.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.tuple(body, fc.nat(40)).map(([text, at]) => Buffer.from(text.slice(0, at))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(body, fc.nat(40), fc.uint8Array({ maxLength: 4 }))
        .map(([text, at, bytes]) =>
          Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at))]),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(body, fc.constantFrom('utf16le', 'latin1'))
        .map(([text, encoding]) => Buffer.from(text, encoding as BufferEncoding)),
    },
    { weight: 1, arbitrary: fc.constantFrom(1000, 200_000).map((depth) => Buffer.from('['.repeat(depth))) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(1000, 100_000)
        .map((depth) => Buffer.from(`${'{"id":'.repeat(depth)}1${'}'.repeat(depth)}`)),
    },
  );

/** What a schema of the OpenAPI document accepts, as JSON text. */
export function fitting(schema: Json, known: readonly string[]): fc.Arbitrary<string> {
  const types: string[] = [schema.type].flat();
  if (types.includes('object')) return oddObject(membersOf(schema, known));
  if (types.includes('array'))
    return fc.array(fitting(schema.items, known), { maxLength: 3 }).map((items) => `[${items}]`);
  if (types.includes('integer')) return fc.integer({ min: 1, max: 6 }).map(String);
  if (types.includes('boolean')) return fc.constantFrom('true', 'false');
  return knownOr(known);
}

const membersOf = (schema: Json, known: readonly string[]) =>
  Object.fromEntries(Object.entries<Json>(schema.properties).map(([name, part]) => [name, fitting(part, known)]));
