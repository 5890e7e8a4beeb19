/** Gives each Copy button what it copies: the element that is shown of those its block holds. */
export function makeCopyButton(button, shown) {
  const { ariaLabel, textContent } = button;
  const say = (text, label = text) => Object.assign(button, { textContent: text, ariaLabel: label });
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = shown();
    try {
      await navigator.clipboard.writeText(code.textContent);
      say('Copied');
    } catch {
      // Browsers allow the clipboard on https and localhost only.
      getSelection().selectAllChildren(code);
      say('Press Ctrl+C');
    }
    setTimeout(() => say(textContent, ariaLabel), 2000);
  });
}
