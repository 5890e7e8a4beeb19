import { makeCopyButton } from './copy.js';
import { element } from './elements.js';

// Each block of code has a button that copies it.
for (const code of document.querySelectorAll('article pre > code')) {
  const block = code.parentElement;
  const button = element('button', {
    type: 'button',
    className: 'copy',
    textContent: 'Copy',
    ariaLabel: 'Copy this code',
  });
  const frame = element('div', { className: 'token' });
  block.replaceWith(frame);
  frame.append(block, button);
  makeCopyButton(button, () => code);
}
