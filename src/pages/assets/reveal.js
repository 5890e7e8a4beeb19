/** Opens the folded parts that a link leads into. Our anchors have no character that a URL would encode. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement) if (part.localName === 'details') part.open = true;
  target?.scrollIntoView();
}

addEventListener('hashchange', reveal);
reveal();
