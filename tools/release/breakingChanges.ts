import { type ComparedSchema, type Report, resolved, type Side, schemaComparison } from './schemaChanges.js';

interface Body {
  $ref?: string;
  content?: Record<string, { schema: ComparedSchema }>;
}

interface Parameter {
  $ref?: string;
  name?: string;
  required?: boolean;
}

interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** What the comparison reads of an OpenAPI document as `openApiDocument` makes it. */
export interface ComparedDocument {
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/**
 * The changes in a new OpenAPI document that break a client of the old one, one line for each. Additions do not break
 * it: paths, statuses, codes, optional request fields, response fields, values of a response's enum.
 */
export function breakingChanges(old: ComparedDocument, now: ComparedDocument): string[] {
  const changes: string[] = [];
  const report: Report = (at, change) => void changes.push(`${at}: ${change}`);
  const schemas = schemaComparison(old, now, report);

  function contents(was: Body | undefined, is: Body | undefined, side: Side, at: string): void {
    for (const [type, { schema }] of Object.entries(was?.content ?? {})) {
      const other = is?.content?.[type];
      if (other) schemas(schema, other.schema, side, at);
      else report(at, `the type ${type} was removed`);
    }
  }

  function parameters(was: Operation, is: Operation, at: string): void {
    const before = (was.parameters ?? []).map((parameter) => resolved(old, parameter));
    const after = (is.parameters ?? []).map((parameter) => resolved(now, parameter));
    for (const { name } of before) {
      if (!after.some((each) => each.name === name)) report(at, `the parameter ${name} was removed`);
    }
    for (const { name, required } of after) {
      const known = before.find((each) => each.name === name);
      if (required && !known?.required) report(at, `the parameter ${name} became required`);
    }
  }

  if (url(old) !== url(now)) report('servers', `${url(old)} became ${url(now)}`);
  for (const [path, methods] of Object.entries(old.paths)) {
    for (const [method, was] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const is = now.paths[path]?.[method];
      if (!is) {
        report(at, 'was removed');
        continue;
      }
      if (was.operationId !== is.operationId) report(at, `the operationId ${was.operationId} became ${is.operationId}`);
      parameters(was, is, at);
      contents(was.requestBody, is.requestBody, 'request', `${at}, request`);
      for (const [status, response] of Object.entries(was.responses)) {
        const other = is.responses[status];
        if (other) contents(resolved(old, response), resolved(now, other), 'response', `${at}, ${status}`);
        else report(at, `the status ${status} was removed`);
      }
    }
  }
  return changes;
}

const url = ({ servers }: ComparedDocument) => servers?.[0]?.url;
