import { element, meaningOf } from './elements.js';

/** What a call would do, without doing it: a difference drawn as one, and the people concerned. */
export async function previewNodes({ query, variables, token }) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const response = await fetch('/graphql', { method: 'POST', headers, body });
  const { data, errors, code, detail } = await response.json();
  const failure = errors?.[0];
  if (failure || code) return [refusal(failure?.extensions?.code ?? code, failure?.message ?? detail)];
  if (!data?.preview) return [verdict(false)];
  const { wouldChange, difference, notified, subscribed } = data.preview;
  return [
    verdict(wouldChange),
    ...(difference ? differenceNodes(difference) : []),
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

function differenceNodes({ title, content, isFormattingOnly }) {
  const isChanged = ({ changes }) => changes.some(({ kind }) => kind !== 'UNCHANGED');
  const drawn = (name, { changes }) => [
    element('h4', { textContent: name }),
    element(
      'div',
      { className: 'difference', role: 'region', ariaLabel: `${name}, with its changes`, tabIndex: 0 },
      ...changes.map(({ kind, text }) => (elementOf[kind] ? element(elementOf[kind], { textContent: text }) : text)),
    ),
  ];
  return [
    ...(isChanged(title) ? drawn('Title', title) : []),
    ...(isChanged(content) ? drawn('Content', content) : []),
    ...(isFormattingOnly ? [element('p', { textContent: 'Only the formatting differs.' })] : []),
  ];
}

function people(what, list) {
  if (!list) return [];
  const names = list.nodes.map(({ fullName }) => fullName);
  const more = list.totalCount - names.length;
  const text = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'nobody';
  return [element('p', {}, element('strong', { textContent: `${what}: ` }), text)];
}
