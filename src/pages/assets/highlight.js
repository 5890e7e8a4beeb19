/** Marks words in the texts of these parts of the page, where the browser can. `isText` says which elements to look in. */
export function highlight(words, parts, isText) {
  if (!CSS.highlights) return;
  const ranges = words.length > 0 ? parts.slice(0, 200).flatMap((part) => rangesOf(part, words, isText)) : [];
  CSS.highlights.set('found', new Highlight(...ranges));
}

function rangesOf(part, words, isText) {
  const ranges = [];
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!isText(node.parentElement)) continue;
    const text = node.data.toLowerCase();
    for (const word of words) {
      for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + word.length)) {
        const place = { startContainer: node, startOffset: start, endContainer: node, endOffset: start + word.length };
        ranges.push(new StaticRange(place));
      }
    }
  }
  return ranges;
}
