export { ConfigError, shellWord, shownText } from './configError.js';
export { assignment, type Environment, givenIn, misspelledIn, nearestName, readEnvironment } from './environment.js';
export {
  addressOf,
  addressRanges,
  anyText,
  commaSeparated,
  connectionOf,
  database,
  decimal,
  host,
  oneOf,
  onOff,
  origins,
  readTable,
  type SettingProblem,
  settingsOf,
  type Table,
  tlsExample,
  unusedParameters,
  webAddress,
  whole,
} from './table.js';
