export { Overload, overloaded, Seat, tooManyOfOne } from './admission.js';
export { parameters } from './parameters.js';
export { type Caller, FairQueue, nobody, RecentUse } from './shares.js';
export { DeliveryTurns, LongResponses } from './turns.js';
