/** As long as the longest id that an import takes, so that every id that may exist is quoted whole. */
const longestQuote = 200;

/** What a caller sent, for a message: its first characters, so that no response grows with what it quotes. */
export const shortened = (text: string, longest = longestQuote): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;

/** The same in quotation marks. */
export const quoted = (text: string): string => JSON.stringify(shortened(text));
