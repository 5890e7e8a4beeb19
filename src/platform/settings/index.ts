/** Settings that cannot be used, all of which the message names. The command prints it and exits with 2. */
/** The text of a setting as a person may see it: on one line, and without a password. */
export { ConfigError, shownText } from './configError.js';
/** Where to open what listens there: `http://127.0.0.1:4000`. */
/** Up to `most` items with commas between them. */
/** An example of a URL for an encrypted connection. */
export {
  addressOf,
  addressRanges,
  commaSeparated,
  database,
  decimal,
  host,
  oneOf,
  onOff,
  origins,
  replicas,
  setting,
  tlsExample,
  webAddress,
  whole,
} from './kinds.js';
