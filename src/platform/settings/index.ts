export {
  /** Settings that cannot be used, all of which the message names. */
  ConfigError,
  /** The text of a setting as a person may see it: on one line, and without a password. */
  shownText,
} from './configError.js';
export {
  /** Where to open what listens there: `http://127.0.0.1:4000`. */
  addressOf,
  /** Ranges of addresses in CIDR notation. */
  addressRanges,
  /** Up to `most` items with commas between them. */
  commaSeparated,
  /** The URL of a PostgreSQL. */
  database,
  /** A number with decimals, within bounds. */
  decimal,
  /** A host to listen on. */
  host,
  /** One of some words. */
  oneOf,
  /** `on` or `off`. */
  onOff,
  /** Origins, separated by commas. */
  origins,
  /** The URLs of standbys. */
  replicas,
  /** A setting: its kind, default, example and description. */
  setting,
  /** An example of a URL for an encrypted connection. */
  tlsExample,
  /** An http or https URL. */
  webAddress,
  /** A whole number, within bounds. */
  whole,
} from './kinds.js';
