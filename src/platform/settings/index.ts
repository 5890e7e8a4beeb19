export { ConfigError, shownText } from './configError.js';
export { connectionOf } from './databaseUrl.js';
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
