import type { Json } from './world.js';

/**
 * The changes in a new OpenAPI document that break a client of the old one, one line for each. Additions do not break
 * it: paths, statuses, codes, optional request fields, response fields, values of a response's enum.
 */
export function breakingChanges(old: Json, now: Json): string[] {
  const changes: string[] = [];
  const add = (at: string, what: string) => void changes.push(`${at}: ${what}`);
  const compare = comparer(old, now, add);

  if (url(old) !== url(now)) add('servers', `${url(old)} became ${url(now)}`);
  for (const [path, methods] of Object.entries<Json>(old.paths)) {
    for (const [method, was] of Object.entries<Json>(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const is = now.paths[path]?.[method];
      if (!is) {
        add(at, 'was removed');
        continue;
      }
      if (was.operationId !== is.operationId) add(at, `the operationId ${was.operationId} became ${is.operationId}`);
      compare.parameters(was, is, at);
      compare.contents(was.requestBody, is.requestBody, 'request', `${at}, request`);
      for (const [status, response] of Object.entries<Json>(was.responses)) {
        if (!is.responses[status]) add(at, `the status ${status} was removed`);
        else compare.contents(response, is.responses[status], 'response', `${at}, ${status}`);
      }
    }
  }
  return changes;
}

const url = ({ servers }: Json) => servers[0].url;

type Side = 'request' | 'response';

const lowerBounds = ['minimum', 'minLength', 'minItems'];
const upperBounds = ['maximum', 'maxLength', 'maxItems'];

function comparer(old: Json, now: Json, add: (at: string, what: string) => void) {
  function parameters(was: Json, is: Json, at: string): void {
    const given = (document: Json, { parameters = [] }: Json): Json[] =>
      parameters.map((parameter: Json) => resolved(document, parameter));
    const before = given(old, was);
    const after = given(now, is);
    for (const { name } of before) {
      if (!after.some((each) => each.name === name)) add(at, `the parameter ${name} was removed`);
    }
    for (const { name, required } of after) {
      const known = before.find((each) => each.name === name);
      if (required && !known?.required) add(at, `the parameter ${name} became required`);
    }
  }

  function contents(was: Json, is: Json, side: Side, at: string): void {
    for (const [type, { schema }] of Object.entries<Json>(was.content)) {
      if (!is.content[type]) add(at, `the type ${type} was removed`);
      else schemas(schema, is.content[type].schema, side, at);
    }
  }

  /** The reader of a value must know all its forms: the server those of a request, the client those of a response. */
  function schemas(was: Json, is: Json, side: Side, at: string): void {
    const before = forms(old, was);
    const after = forms(now, is);
    for (const [form, schema] of before) {
      const other = after.get(form);
      if (other) form !== 'null' && sameForm(schema, other, side, at);
      else if (form !== 'null' || side === 'request') add(at, `can no longer be ${form}`);
    }
    if (side === 'response' && after.has('null') && !before.has('null')) add(at, 'became nullable');
  }

  function sameForm(was: Json, is: Json, side: Side, at: string): void {
    for (const keyword of ['format', 'pattern', 'const']) {
      if (was[keyword] !== is[keyword]) add(at, `the ${keyword} ${was[keyword]} became ${is[keyword]}`);
    }
    if (side === 'request') {
      for (const value of was.enum ?? []) if (!is.enum?.includes(value)) add(at, `no longer takes ${value}`);
      for (const bound of lowerBounds) if (is[bound] > (was[bound] ?? -Infinity)) add(at, `${bound} was raised`);
      for (const bound of upperBounds) if (is[bound] < (was[bound] ?? Infinity)) add(at, `${bound} was lowered`);
    }
    properties(was, is, side, at);
    if (was.items && is.items) schemas(was.items, is.items, side, `${at}[]`);
  }

  function properties(was: Json, is: Json, side: Side, at: string): void {
    for (const [name, schema] of Object.entries<Json>(was.properties ?? {})) {
      const other = is.properties?.[name];
      if (other) schemas(schema, other, side, `${at} ${name}`);
      else add(`${at} ${name}`, 'was removed');
    }
    const [weaker, stronger, change] =
      side === 'request' ? [was, is, 'became required'] : [is, was, 'is no longer always there'];
    for (const name of stronger.required ?? []) {
      const exists = side === 'request' || is.properties?.[name];
      if (exists && !weaker.required?.includes(name)) add(`${at} ${name}`, change);
    }
  }

  return { parameters, contents };
}

const resolved = (document: Json, { $ref, ...part }: Json): Json =>
  $ref
    ? {
        ...part,
        ...$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, key: string) => at[key], document),
      }
    : part;

/** The forms of a value by type, those of a problem by code. */
function forms(document: Json, schema: Json): Map<string, Json> {
  const { oneOf, ...whole } = resolved(document, schema);
  if (oneOf) return new Map(oneOf.flatMap((each: Json) => [...forms(document, each)]));
  const code = whole.properties?.code?.const;
  return new Map([whole.type].flat().map((type: string) => [code ?? type, whole]));
}
