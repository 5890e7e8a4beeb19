/**
 * Every number of fairness. Times are in milliseconds. What each is for, and the attack that it was set by, is in the
 * table of README.md; `npx tsx tools/simulation/run.ts` shows what becomes of the attacks with other ones.
 */
export const parameters = {
  /** For how long somebody who has asked counts as one who asks. */
  rememberedFor: 10_000,
  /** What a flow has used of something that is shared: the processor, or PostgreSQL. */
  use: {
    /** A flow that has used more than this in the last second is limited while others ask. */
    much: 300,
    /** Seats of a flow until it is known how long its requests take. */
    mostUnknown: 3,
    /** Uses over which the mean length is taken. */
    remembered: 10,
    /** Flows that are remembered. */
    flows: 10_000,
  },
  requests: {
    /** Processor time that the requests in progress of a limited flow may need together. */
    together: 10,
    /** How long a request may wait in a burst of no more flows than there are seats, and of more. */
    waitOfFew: 15_000,
    waitOfMany: 500,
    /** After how long in which some wait and no request has ended the gateway counts as stalled. */
    stalledAfter: 500,
    /** The least and the most that a request waits once the gateway is overloaded: else as long as two requests take. */
    leastWait: 20,
    mostWait: 250,
    /** How often waiting requests are looked at. */
    interval: 10,
    /** Requests that may wait for each seat, and at least in all. */
    queuedPerSeat: 50,
    leastQueued: 1_000,
    /** Requests over which the mean duration is taken. */
    remembered: 50,
  },
  connections: {
    /** The most connections of one request. */
    ofRequest: 4,
    /** PostgreSQL's time that the running statements of a limited flow may need together. */
    together: 30,
  },
  deliveries: {
    /** Part of a processor that deliveries of a company have while others ask, and how much of it at once. */
    part: 0.2,
    burst: 15,
    /** Milliseconds that a company's first delivery is assumed to need. */
    mean: 1,
    /** The longest that they wait for it. */
    longestPause: 2_000,
  },
  streams: {
    /** The most streams of one token. */
    ofToken: 20,
    /** The most of one company, as a part of all. */
    ofCompany: 0.5,
  },
  refusals: {
    /** How many of a caller in a second are immediate. */
    immediate: 20,
    /** How much later the others are sent, and how far apart. */
    pause: 1_000,
    spacing: 10,
    /** The most that wait, of all callers, which share it; and callers that are remembered. */
    paused: 2_000,
    callers: 10_000,
  },
  bodies: {
    /** Bytes for the bodies that are being received, unless a few of the largest need more. */
    leastBytes: 64 * 1024 ** 2,
    /** About what Node takes for a chunk besides its bytes. */
    perChunk: 256,
  },
} as const;
