import type { ErrorCode } from '../../errors/catalogue.js';
import { everyResponse, headerNamed } from './headers.js';
import type { Components, JsonSchema } from './jsonSchema.js';
import { problemExample, problemName, problemSchema, type References } from './problems.js';

export const referenceTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Collects the headers and the examples of problems that operations refer to. */
export function collectReferences({ component }: Pick<Components, 'component'>, publicUrl: string) {
  const headers: Record<string, JsonSchema> = {};
  const problems: Record<string, JsonSchema> = {};
  const header = (name: string) => {
    headers[name] ??= headerNamed(name);
    return referenceTo('headers', name);
  };
  const references: References = {
    schema: (code: ErrorCode) => component(problemName(code), () => problemSchema(code)),
    example: (code: ErrorCode) => {
      problems[code] ??= { summary: code, value: problemExample(code, publicUrl) };
      return referenceTo('examples', code);
    },
    header,
    common: Object.fromEntries(everyResponse.map((name) => [name, header(name)])),
  };
  return { headers, problems, references };
}
