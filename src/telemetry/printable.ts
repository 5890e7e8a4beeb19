/** Escapes characters that could control a terminal, end a line or look like another column. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
