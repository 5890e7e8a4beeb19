export { ConfigError, shownText } from './configError.js';
export { connectionOf } from './databaseUrl.js';
export { assignment, type Environment, givenIn, misspelledIn, readEnvironment } from './environment.js';
export {
  addressOf,
  addressRanges,
  anyText,
  commaSeparated,
  database,
  decimal,
  host,
  type Kind,
  oneOf,
  onOff,
  origins,
  tlsExample,
  webAddress,
  whole,
} from './kinds.js';
export { readTable, type SettingProblem, settingsOf, type Table } from './table.js';
