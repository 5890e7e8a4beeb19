import { makeCopyButton } from './copy.js';

for (const block of document.querySelectorAll('.token:has(.copy)')) {
  makeCopyButton(block.querySelector('.copy'), () => block.querySelector('code'));
}
