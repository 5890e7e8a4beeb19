export { type Dispatcher, openEvents } from './dispatcher.js';
export { EventStream } from './eventStream.js';
export type { EventSource, OutboxEvent, SourceRow, WantedEvents } from './source.js';
export { Streams } from './streams.js';
