export {
  /** Settings that cannot be used, all of which the message names. */
  ConfigError,
  /** The text of a setting as a person may see it: on one line, and without a password. */
  shownText,
} from './configError.js';
export {
  /** Where to open what listens there: `http://127.0.0.1:4000`. */
  addressOf,
  addressRanges,
  /** Up to `most` items with commas between them. */
  commaSeparated,
  database,
  decimal,
  host,
  oneOf,
  onOff,
  origins,
  replicas,
  setting,
  /** An example of a URL for an encrypted connection. */
  tlsExample,
  webAddress,
  whole,
} from './kinds.js';
