const space = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.+-])/y;
const characters = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The index where a text stops being JSON; its length if it ends too early. JSON.parse does not always report it. */
export function syntaxErrorAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length > 0;
  };
  const skipChar = (char: string) => {
    if (text[at] !== char) return false;
    at++;
    skip(space);
    return true;
  };
  const skipString = () => {
    if (text[at] !== '"') return false;
    at++;
    while (skip(characters));
    return skipChar('"');
  };
  const skipKey = () => {
    skip(space);
    return skipString() && skipChar(':');
  };

  skip(space);
  for (;;) {
    const opens = text[at];
    if (opens === '{' || opens === '[') {
      skipChar(opens);
      open.push(opens);
      const isEmpty = text[at] === (opens === '{' ? '}' : ']');
      if (!isEmpty && (opens === '[' || skipKey())) continue;
      if (!isEmpty) return at;
    } else if (!skipString() && !skip(scalar)) return at;
    skip(space);
    while (open.length > 0 && skipChar(open.at(-1) === '{' ? '}' : ']')) open.pop();
    if (open.length === 0 || !skipChar(',') || (open.at(-1) === '{' && !skipKey())) return at;
  }
}
