import { ask } from './ask.js';
import { element, meaningOf } from './elements.js';

/** What a call would do, without doing it: a difference drawn as one, and the people concerned. */
export async function previewNodes({ query, variables, token }) {
  const failed = (error) => {
    if (!error.code) throw error;
    return error;
  };
  const { code, message, preview } = await ask(query, variables, token).catch(failed);
  if (code) return [refusal(code, message)];
  if (!preview) return [verdict(false)];
  const { wouldChange, difference, file, notified, subscribed } = preview;
  return [
    verdict(wouldChange),
    ...(difference ? differenceNodes(difference) : []),
    ...(wouldChange && file?.pathToFile ? [placeOf(file)] : []),
    ...people('Notified', notified),
    ...people('Subscribed', subscribed),
  ];
}

const verdict = (changes) =>
  element(
    'p',
    { role: 'status' },
    element('strong', { className: 'badge', textContent: 'Preview' }),
    ' ',
    {
      true: 'Nothing is changed yet. Run would do this:',
      false: 'Run would change nothing.',
    }[changes],
  );

const refusal = (code, message) =>
  element(
    'p',
    { role: 'status' },
    element('strong', { className: 'failed', textContent: message }),
    ' · ',
    meaningOf(code),
  );

const elementOf = { REMOVED: 'del', ADDED: 'ins' };

/** A difference of titles and contents, drawn. `of` tells it from others on the page. */
export function differenceNodes({ title, content, isFormattingOnly }, of = '') {
  const isChanged = ({ changes }) => changes.some(({ kind }) => kind !== 'UNCHANGED');
  const drawn = (name, { changes }) => [
    element('h4', { textContent: name }),
    element(
      'div',
      { className: 'difference', role: 'region', ariaLabel: `${name}${of}, with its changes`, tabIndex: 0 },
      ...changes.map(({ kind, text }) => (elementOf[kind] ? element(elementOf[kind], { textContent: text }) : text)),
    ),
  ];
  return [
    ...(isChanged(title) ? drawn('Title', title) : []),
    ...(isChanged(content) ? drawn('Content', content) : []),
    ...(isFormattingOnly ? [element('p', { textContent: 'Only the formatting differs.' })] : []),
  ];
}

/** Where a file would be again. */
function placeOf({ name, pathToFile }) {
  const place = pathToFile.map((folder) => folder.name).join(' › ') || 'the root of its hub';
  return element('p', {}, element('strong', { textContent: `${name}: ` }), `is back in ${place}`);
}

function people(what, list) {
  if (!list) return [];
  const names = list.nodes.map(({ fullName }) => fullName);
  const more = list.totalCount - names.length;
  const text = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'nobody';
  return [element('p', {}, element('strong', { textContent: `${what}: ` }), text)];
}
