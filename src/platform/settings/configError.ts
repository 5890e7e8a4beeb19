// The types of the package include this file as it is: it imports nothing.

/** Settings that cannot be used, all of which the message names. The command prints it and exits with 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const longestShown = 120;

/** The text of a setting as a person may see it: on one line, and without a password. */
export function shownText(setting: string, text: string): string {
  const isUrl = text.includes('://');
  if (setting === 'WEBHOOK_KEY') return '***';
  if (/^DATABASE_.*URL$/.test(setting) && !isUrl) return '***';
  const masked = isUrl
    ? text
        .replace(/(:\/\/[^:@]*):.*@/s, '$1:***@')
        // Without a server, what is no port may be a password.
        .replace(/(:\/\/[^:@[]*):(?!\d*([,/?#\s]|$)|\*{3}@).*/s, '$1:***')
        .replace(/(password=)[^&]*/gi, '$1***')
    : text;
  const short = masked.length > longestShown ? `${masked.slice(0, longestShown)}…` : masked;
  return /^[\x21-\x7e\u2026]+$/.test(short) ? short : JSON.stringify(short);
}

/** A word of a command as a shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
