const status = document.getElementById('copied');

for (const block of document.querySelectorAll('.command')) {
  const button = block.querySelector('button');
  const code = block.querySelector('code');
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      status.textContent = `Copied: ${block.querySelector('h3').textContent}`;
    } catch {
      // Browsers allow the clipboard on https and localhost only.
      getSelection().selectAllChildren(code);
      status.textContent = 'Selected: press Ctrl+C or Cmd+C to copy';
    }
  });
}
