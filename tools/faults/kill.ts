import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

export const gatewayKilled: Fault = {
  title: 'A gateway is killed (`kill -9`) in the middle of requests, three times; the other one keeps running',
  async strike({ gateways: [gateway] }) {
    for (let time = 0; time < 3; time += 1) {
      await gateway?.kill();
      await gateway?.restart();
      await sleep(500);
    }
  },
};

export const postgresKilled: Fault = {
  title: 'PostgreSQL is killed (`kill -9`) in the middle of requests, and restarted a second later',
  async strike({ postgres }) {
    await postgres.kill();
    await sleep(1_000);
    await postgres.start();
  },
};

export const postgresFrozen: Fault = {
  title: 'PostgreSQL is frozen for 20 seconds (`SIGSTOP`)',
  async strike({ postgres }) {
    const thaw = await postgres.freeze();
    await sleep(20_000);
    thaw();
  },
};
