/** A text of which nothing can steer a terminal, end a line or look like another cell: such characters are escaped. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
