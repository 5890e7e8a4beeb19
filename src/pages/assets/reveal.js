/** Opens the folded parts that a link leads into. */
function reveal() {
  let part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const target = part;
  for (; part; part = part.parentElement) if (part.localName === 'details') part.open = true;
  target?.scrollIntoView();
}

addEventListener('hashchange', reveal);
if (location.hash) reveal();
