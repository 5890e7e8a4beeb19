/** What the comparison reads of a JSON Schema. */
export interface ComparedSchema {
  $ref?: string;
  type?: string | string[];
  oneOf?: ComparedSchema[];
  anyOf?: ComparedSchema[];
  allOf?: ComparedSchema[];
  properties?: Record<string, ComparedSchema>;
  required?: string[];
  items?: ComparedSchema;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

export type Side = 'request' | 'response';

/** Reports a change that breaks clients, and where it is. */
export type Report = (at: string, change: string) => void;

const lowerBounds = ['minimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'maxLength', 'maxItems'] as const;

/** Returns what compares two schemas, each with the references of its own document. */
export function schemaComparison(old: object, now: object, report: Report) {
  /** The reader of a value must know all its forms: the server those of a request, the client those of a response. */
  function schemas(was: ComparedSchema, is: ComparedSchema, side: Side, at: string): void {
    const before = forms(old, was);
    const after = forms(now, is);
    for (const [form, schema] of before) {
      const other = after.get(form);
      if (other) form !== 'null' && sameForm(schema, other, side, at);
      else if (form !== 'null' || side === 'request') report(at, `can no longer be ${form}`);
    }
    if (side === 'response' && after.has('null') && !before.has('null')) report(at, 'became nullable');
  }

  function sameForm(was: ComparedSchema, is: ComparedSchema, side: Side, at: string): void {
    for (const keyword of ['format', 'pattern', 'const'] as const) {
      if (was[keyword] !== is[keyword]) report(at, `the ${keyword} ${was[keyword]} became ${is[keyword]}`);
    }
    if (side === 'request') {
      for (const value of was.enum ?? []) if (!is.enum?.includes(value)) report(at, `no longer takes ${value}`);
      for (const bound of lowerBounds) {
        if ((is[bound] ?? -Infinity) > (was[bound] ?? -Infinity)) report(at, `${bound} was raised`);
      }
      for (const bound of upperBounds) {
        if ((is[bound] ?? Infinity) < (was[bound] ?? Infinity)) report(at, `${bound} was lowered`);
      }
    }
    properties(was, is, side, at);
    if (was.items && is.items) schemas(was.items, is.items, side, `${at}[]`);
  }

  function properties(was: ComparedSchema, is: ComparedSchema, side: Side, at: string): void {
    for (const [name, schema] of Object.entries(was.properties ?? {})) {
      const other = is.properties?.[name];
      if (other) schemas(schema, other, side, `${at} ${name}`);
      else report(`${at} ${name}`, 'was removed');
    }
    const [weaker, stronger, change] =
      side === 'request' ? [was, is, 'became required'] : [is, was, 'is no longer always there'];
    for (const name of stronger.required ?? []) {
      const exists = side === 'request' || is.properties?.[name];
      if (exists && !weaker.required?.includes(name)) report(`${at} ${name}`, change);
    }
  }

  return schemas;
}

/** A part with what it refers to, such as `#/components/schemas/Goal`. */
export function resolved<Part extends { $ref?: string }>(
  document: object,
  { $ref, ...part }: Part,
): Omit<Part, '$ref'> {
  if (!$ref) return part;
  const keys = $ref.slice(2).split('/');
  return { ...part, ...keys.reduce<object>((at, key) => Reflect.get(at, key), document) };
}

/** The forms of a value by type, those of a problem by code. */
function forms(document: object, schema: ComparedSchema): Map<string, ComparedSchema> {
  const { oneOf, anyOf, allOf, ...own } = resolved(document, schema);
  const several = oneOf ?? anyOf;
  if (several) return new Map(several.flatMap((each) => [...forms(document, each)]));
  const whole = (allOf ?? []).reduce((refined, each) => merged(resolved(document, each), refined), own);
  const code = whole.properties?.code?.const;
  return new Map([whole.type ?? []].flat().map((type) => [typeof code === 'string' ? code : type, whole]));
}

/** A schema with what another refines of it. */
function merged(base: ComparedSchema, refined: ComparedSchema): ComparedSchema {
  const properties = { ...base.properties };
  for (const [name, schema] of Object.entries(refined.properties ?? {}))
    properties[name] = { ...properties[name], ...schema };
  return { ...base, ...refined, properties, required: [...(base.required ?? []), ...(refined.required ?? [])] };
}
