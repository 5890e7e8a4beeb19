import { createParser } from '../graphiql/eventsource-parser.js';

/** The responses of a stream, until the server ends it. Ends quietly once `stop` is aborted. */
async function* responsesIn(body, stop) {
  const events = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const read = () =>
    reader.read().catch((error) => {
      if (stop.aborted) return { done: true };
      throw error;
    });
  for (let piece = await read(); !piece.done; piece = await read()) {
    parser.feed(piece.value);
    for (const { event, data } of events.splice(0)) if (event === 'next') yield JSON.parse(data);
  }
}

/**
 * The responses of a stream as GraphiQL takes them: `return` ends the request, also while a response is awaited. Says when
 * it has stopped, or the server has ended it.
 */
export function liveResponses(body, stop, say) {
  const responses = responsesIn(body, stop.signal);
  return {
    async next() {
      const response = await responses.next();
      if (response.done && !stop.signal.aborted) say('ended by the server');
      return response;
    },
    async return() {
      stop.abort();
      say('stopped');
      return { done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
