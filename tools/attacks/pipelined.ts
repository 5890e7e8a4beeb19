import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Target } from './attack.js';
import { graphqlBody } from './client.js';

const connections = 30;
const atOnce = 100;
/** Another one than the victim's, so that its requests without a token are not refused for the attacker's. */
const localAddress = '127.0.0.2';

/** Sends the same request that many times at once, again when all have responses, on each connection without a pause. */
const strike = (requestFor: (target: Target) => string, pipelined: number) => async (target: Target) => {
  const bytes = requestFor(target).repeat(pipelined);
  await Promise.all(Array.from({ length: connections }, () => floodOne(target, bytes, pipelined)));
};

async function floodOne(target: Target, bytes: string, pipelined: number): Promise<void> {
  while (!target.isOver()) {
    await untilClosed(target, bytes, pipelined);
    // A connection that is closed is opened again, as soon as any client would.
    await sleep(1);
  }
}

function untilClosed({ base, isOver, count }: Target, bytes: string, pipelined: number): Promise<void> {
  const { hostname: host, port } = new URL(base);
  return new Promise((resolve) => {
    let missing = pipelined;
    let kept = '';
    const socket = connect({ host, port: Number(port), localAddress });
    const ending = setInterval(() => isOver() && socket.destroy(), 100);
    socket.on('error', () => {}).on('connect', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (text: string) => {
      kept += text;
      for (const [, status = ''] of kept.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        if (!isOver()) count(status);
        missing -= 1;
      }
      // The start of a status line may be the end of what has come.
      kept = kept.slice(kept.lastIndexOf('HTTP/1.1 ') + 9).slice(-12);
      if (missing > 0) return;
      missing = pipelined;
      socket.write(bytes);
    });
    socket.on('close', () => {
      clearInterval(ending);
      if (!isOver()) count('closed');
      resolve();
    });
  });
}

const body = graphqlBody('{ viewer { person { id } } }');
const withToken = ({ token }: Target) =>
  `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const withoutToken = () => 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n';
const withoutHost = () => 'GET /healthz HTTP/1.1\r\nX: no host\r\n\r\n';
const withOptions = () => 'OPTIONS /graphql HTTP/1.1\r\nHost: x\r\n\r\n';

const oneByOne = (what: string, requestFor: (target: Target) => string): Attack => ({
  title: `${what}, on ${connections} connections without a pause, one by one`,
  strike: strike(requestFor, 1),
});
const pipelined = (what: string, requestFor: (target: Target) => string): Attack => ({
  title: `${what}, on ${connections} connections without a pause, ${atOnce} at once on each`,
  strike: strike(requestFor, atOnce),
});

export const refusedOnes = oneByOne('one token, far over its limit', withToken);
export const refusedPipelined = pipelined('one token, far over its limit', withToken);
export const nobodysOnes = oneByOne('nobody with a token asks for what is not there', withoutToken);
export const nobodysPipelined = pipelined('nobody with a token asks for what is not there', withoutToken);
export const malformedPipelined = pipelined('requests without a Host', withoutHost);
export const optionsPipelined = pipelined('OPTIONS that are no preflights', withOptions);
