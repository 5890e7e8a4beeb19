/** Marks in the list of contents what the reader looks at. */
const links = [...document.querySelectorAll('.contents a[href^="#"]')];
const headings = links.map(({ hash }) => document.getElementById(hash.slice(1)));

function mark() {
  // Above this line of the window a heading has been reached.
  const line = innerHeight / 4;
  const reached = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < line);
  const current = links[Math.max(reached, 0)];
  for (const link of links) link.ariaCurrent = link === current ? 'location' : null;
  const folded = current.closest('details');
  if (folded) folded.open = true;
}

if (links.length > 0) {
  addEventListener('scroll', mark, { passive: true });
  mark();
}
