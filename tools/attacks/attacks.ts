import type { Attack } from './attack.js';
import { burst } from './burst.js';
import { busy } from './busy.js';
import { longChanges, longChangesWithoutKey } from './longChanges.js';
import { manyConnections } from './manyConnections.js';
import { manyOperations } from './manyOperations.js';
import {
  files,
  healthChecks,
  introspections,
  largestIntrospections,
  longDifferences,
  malformedTokens,
  mentions,
} from './nothingIsFree.js';
import { oppositeChanges } from './oppositeChanges.js';
import { overTheLimit } from './overTheLimit.js';
import {
  malformedPipelined,
  nobodysOnes,
  nobodysPipelined,
  optionsPipelined,
  refusedOnes,
  refusedPipelined,
} from './pipelined.js';
import { potentialSubscribers } from './potentialSubscribers.js';
import { longPaths, publicPages, withoutToken } from './publicPages.js';
import { endlessHints, receiversOfEveryKind } from './receivers.js';
import { tenTokens, textFilters } from './textFilters.js';
import { unreadResponses } from './unreadResponses.js';

export const attacks: Record<string, Attack> = {
  busy,
  burst,
  unreadResponses,
  textFilters,
  tenTokens,
  potentialSubscribers,
  manyOperations,
  overTheLimit,
  refusedOnes,
  refusedPipelined,
  nobodysOnes,
  nobodysPipelined,
  malformedPipelined,
  optionsPipelined,
  publicPages,
  longPaths,
  withoutToken,
  manyConnections,
  oppositeChanges,
  longChanges,
  longChangesWithoutKey,
  introspections,
  largestIntrospections,
  mentions,
  longDifferences,
  files,
  healthChecks,
  malformedTokens,
  endlessHints,
  receiversOfEveryKind,
};
