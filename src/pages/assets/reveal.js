/** Opens the folded parts that a link leads into. */
function reveal() {
  const target = document.querySelector(':target');
  for (let part = target; part; part = part.parentElement) if (part.localName === 'details') part.open = true;
  target?.scrollIntoView();
}

addEventListener('hashchange', reveal);
reveal();
