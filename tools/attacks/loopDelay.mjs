// Loaded into the gateways that are attacked: tells the longest block of its event loop since it was asked last.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.LOOP_DELAY_PORT) {
  const resolution = 5;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const server = createServer((_req, res) => {
    res.end(String(Math.max(delay.max / 1e6 - resolution, 0)));
    delay.reset();
  });
  server.listen(Number(process.env.LOOP_DELAY_PORT), '127.0.0.1').unref();
}
