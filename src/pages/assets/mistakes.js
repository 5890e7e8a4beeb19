import { element } from './elements.js';

/** Buttons for requests that fail, to meet their responses before it matters. `run` gets what is changed in the body. */
export function mistakes(readOnlyToken, run) {
  const offer = (textContent, change, token) => {
    const button = element('button', { type: 'button', textContent });
    button.addEventListener('click', () => run(change, token));
    return button;
  };
  const stale = ({ expected_current_version: current }) => ({ expected_current_version: current - 1 });
  return element(
    'div',
    { className: 'mistakes' },
    'Try a mistake: ',
    offer('A stale version', stale),
    ...(readOnlyToken ? [offer('A read-only token', () => ({}), { token: readOnlyToken })] : []),
    offer('A field that does not exist', () => ({ colour: 'blue' })),
  );
}
