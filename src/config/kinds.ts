import { z } from 'zod';

/** What one setting accepts. */
interface Rule<T> {
  /** The value of a text; undefined if the text is not accepted. */
  read(text: string): T | undefined;
  /** What is accepted, after the words "must be". */
  allowed: string;
  example: string;
  /** Why what was read cannot be used after all: "has sslmode=yes, which …"; undefined if it can. */
  problem?: { of(text: string): string | undefined; example: string };
}

export const setting = <T>({ read, allowed, example, problem }: Rule<T>) =>
  z.string().transform((text, { issues }): T => {
    const value = read(text.trim());
    const found = value === undefined ? undefined : problem?.of(text.trim());
    if (value !== undefined && found === undefined) return value;
    const params = { example: found && problem ? problem.example : example };
    issues.push({ code: 'custom', input: text, message: found ?? `must be ${allowed}`, params });
    return z.NEVER;
  });

const number = (pattern: RegExp, kind: string, minimum: number, maximum: number, example: number) =>
  setting({
    read: (text) => {
      const value = Number(text);
      return pattern.test(text) && value >= minimum && value <= maximum ? value : undefined;
    },
    allowed: `${kind} from ${minimum} to ${maximum}`,
    example: String(example),
  });
export const whole = (minimum: number, maximum: number, example: number) =>
  number(/^\d{1,15}$/, 'a whole number', minimum, maximum, example);
export const decimal = (minimum: number, maximum: number, example: number) =>
  number(/^\d{1,15}(\.\d+)?$/, 'a number', minimum, maximum, example);

export const oneOf = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  setting<Name>({
    read: (text) => names.find((name) => name === text),
    allowed: `one of ${names.join(', ')}`,
    example: names[0],
  });

export const onOff = (isOn: boolean) =>
  setting({
    read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
    allowed: 'on or off',
    example: isOn ? 'off' : 'on',
  }).default(isOn);

/** Up to `most` items with commas between them. */
export const commaSeparated = (
  isItem: (text: string) => boolean,
  { most = Number.POSITIVE_INFINITY, ...rule }: { most?: number; allowed: string; example: string },
) =>
  setting({
    ...rule,
    read: (text) => {
      const items = text.split(',').map((item) => item.trim());
      return items.length <= most && items.every(isItem) ? items : undefined;
    },
  });
