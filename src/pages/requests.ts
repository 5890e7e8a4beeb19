import { type GraphQLInputObjectType, type GraphQLNamedType, getNamedType, isRequiredInputField, Kind } from 'graphql';
import { snakeCase } from '../platform/http/index.js';
import { shellWord } from '../platform/settings/index.js';
import type { PreparedMutation } from '../rest/routes.js';
import type { ShownDemo } from './demoAccess.js';
import { codeBlock, type Html, html } from './html.js';

type Body = Record<string, unknown>;

/** The request on the demo, if there is one. A restore is of the version before the current one. */
export function demoRequest({ example }: PreparedMutation, { currentVersion }: ShownDemo): Body | undefined {
  if (!example || !('expected_current_version' in example) || currentVersion == null) return example;
  return { ...example, version_number: currentVersion - 1, expected_current_version: currentVersion };
}

/** An input with placeholders, such as `{ fileId: 'FILE_ID' }`: what names the record, and what is required. */
export function placeholders(input: GraphQLInputObjectType, { selection: { selections } }: PreparedMutation): Body {
  const [record] = selections;
  const ofRecord = record?.kind === Kind.FIELD ? `${record.name.value}Id` : 'id';
  const placeholder = (name: string, type: GraphQLNamedType) =>
    type.name === 'Int' ? 1 : snakeCase(name === 'id' ? ofRecord : name).toUpperCase();
  const fields = Object.values(input.getFields()).filter(
    (field) => isRequiredInputField(field) || String(field.type) === 'ID',
  );
  return Object.fromEntries(fields.map(({ name, type }) => [name, placeholder(name, getNamedType(type))]));
}

/** The same as the body of a request in REST. */
export const placeholderBody = (mutation: PreparedMutation): Body =>
  Object.fromEntries(
    Object.entries(placeholders(mutation.inputObject, mutation)).map(([name, value]) => [snakeCase(name), value]),
  );

/** Longer bodies are easier to read with one field on each line. */
const longestLine = 60;

/** A request as a command, which reads the token from `TOKEN`. What is sent again with its key changes something once. */
export function curlCommand(url: string, body: Body, key: string): string {
  const line = JSON.stringify(body);
  const shown = line.length > longestLine ? JSON.stringify(body, null, 2).replaceAll('\n', '\n  ') : line;
  return [
    `curl -sS ${shellWord(url)}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Content-Type: application/json"',
    `-H "Idempotency-Key: ${key}"`,
    `-d ${shellWord(shown)}`,
  ].join(' \\\n  ');
}

export const copyScript = '/pages/blocks.js';

export const copyable = (label: string, code: string): Html => html`<div class="token">${codeBlock(label, code)}
<button type="button" class="copy" hidden aria-label="Copy: ${label}">Copy</button></div>
`;

/** Marks what Goalpost adds to the documented operations. */
export const additionMark = ({ isAddition }: PreparedMutation): Html | undefined =>
  isAddition && html` <span class="badge" title="Not part of the documented API">only in Goalpost</span>`;
