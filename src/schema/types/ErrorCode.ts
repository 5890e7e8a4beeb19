import { type ErrorCode as Code, catalogue, errorCodes } from '../../errors/catalogue.js';
import { builder } from '../builder.js';

/** No field returns it: it says what `extensions.code` of an error may be, and what else the error then carries. */
builder.enumType('ErrorCode', {
  description:
    'The values of `code` in the `extensions` of an error, which also has `requestId` and the members listed here; one that is optional is there only if it is known. New codes may be added: handle an unknown code by the status of the response.',
  values: Object.fromEntries(errorCodes.map((code) => [code, { value: code, description: descriptionOf(code) }])),
});

function descriptionOf(code: Code): string {
  const { status, title, members = {}, optionalMembers = {} } = catalogue[code];
  const all = [...Object.entries(members), ...Object.entries(optionalMembers)];
  const lines = all.map(([name, { type, description }]) => {
    const kind = name in optionalMembers ? `optional ${type}` : type;
    return `- \`${name}\` (${kind}): ${description}`;
  });
  return [`${title}. Status ${status}.`, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}
