export { ConfigError, shownText } from './configError.js';
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
  setting,
  tlsExample,
  webAddress,
  whole,
} from './kinds.js';
