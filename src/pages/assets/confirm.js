import { element } from './elements.js';

/** Asks whether to make a change, and names its record. Resolves to whether the reader wants it. */
export function confirmed({ title, label, record, gateway }) {
  const cancel = element('button', { type: 'button', textContent: 'Cancel', autofocus: true });
  const go = element('button', { type: 'button', className: 'run', textContent: title });
  const heading = element('h2', { id: 'confirm-heading', textContent: `${title}?` });
  const fields = record.map(([field, value]) => `${field}: ${JSON.stringify(value ?? null)}`);
  const dialog = element(
    'dialog',
    { className: 'stack' },
    heading,
    element('p', {}, element('strong', { textContent: label })),
    element('p', { className: 'quiet' }, element('code', { textContent: fields.join(', ') })),
    element('p', { textContent: `This changes data of ${gateway}, which is not the demo.` }),
    element('p', { className: 'steps' }, cancel, go),
  );
  dialog.setAttribute('aria-labelledby', heading.id);
  document.querySelector('main').append(dialog);
  cancel.addEventListener('click', () => dialog.close());
  go.addEventListener('click', () => dialog.close('go'));
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'go');
    }),
  );
}
