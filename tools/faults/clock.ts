import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

// Node's timers run on the monotonic clock, which does not jump: a jump of the system's clock reaches it as Date only.
const jumpingDate = `
  let offset = 0;
  const { now } = Date;
  const hour = 3_600_000;
  Date.now = () => now() + offset;
  globalThis.Date = new Proxy(Date, {
    construct: (Real, given, target) => Reflect.construct(Real, given.length > 0 ? given : [Date.now()], target),
  });
  process.on('SIGUSR2', () => { offset += hour; });
  process.on('SIGWINCH', () => { offset -= hour; });`;

export const clockJumps: Fault = {
  title: 'The clock of one of two gateways jumps an hour ahead, then two hours back, then to the correct time',
  options: async () => ({
    settings: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(jumpingDate)}` },
  }),
  async strike({ gateways: [gateway] }) {
    for (const signal of ['SIGUSR2', 'SIGWINCH', 'SIGWINCH', 'SIGUSR2'] as const) {
      if (gateway?.pid) process.kill(gateway.pid, signal);
      await sleep(signal === 'SIGWINCH' ? 1_500 : 3_000);
    }
  },
};
