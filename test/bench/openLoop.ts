import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answered {
  /** 0 if there was none. */
  status: number;
  /** Since the request was due. */
  milliseconds: number;
  /** How much later than due it was sent: the generator itself was too slow. */
  late: number;
}

export interface Call {
  /** The whole request, as it goes over the socket. */
  bytes: string;
  onAnswer?: (status: number, body: string) => void;
}

const answerMilliseconds = 30_000;

/** Sends requests at a fixed rate over kept connections, whether or not earlier ones are answered. */
export class OpenLoop {
  readonly #address: { host: string; port: number };
  readonly #next: () => Call;
  readonly #idle: Socket[] = [];
  readonly #answers: Answered[] = [];
  #pending = 0;

  constructor(base: string, next: () => Call) {
    const { hostname, port } = new URL(base);
    this.#address = { host: hostname, port: Number(port) };
    this.#next = next;
  }

  async run(rate: number, seconds: number): Promise<Answered[]> {
    const start = performance.now();
    const total = Math.round(rate * seconds);
    for (let sent = 0; sent < total; ) {
      const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000));
      for (; sent < due; sent++) this.#send(start + (sent * 1000) / rate);
      await sleep(1);
    }
    const end = performance.now() + answerMilliseconds;
    while (this.#pending > 0 && performance.now() < end) await sleep(10);
    for (const socket of this.#idle) socket.destroy();
    const lost = Array.from({ length: this.#pending }, () => ({
      status: 0,
      milliseconds: answerMilliseconds,
      late: 0,
    }));
    return [...this.#answers, ...lost];
  }

  #send(dueAt: number): void {
    const { bytes, onAnswer } = this.#next();
    this.#pending += 1;
    const late = performance.now() - dueAt;
    const socket = this.#takeIdle() ?? connect({ ...this.#address, noDelay: true });
    let received = '';
    const done = (status: number, body: string) => {
      socket.removeAllListeners();
      this.#pending -= 1;
      this.#answers.push({ status, milliseconds: performance.now() - dueAt, late });
      onAnswer?.(status, body);
      if (status > 0 && !/^connection: close/im.test(received)) this.#idle.push(socket.on('error', () => {}));
      else socket.on('error', () => {}).destroy();
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length >= end + 4 + length) done(Number(received.slice(9, 12)), received.slice(end + 4));
    });
    socket.on('error', () => done(0, ''));
    socket.on('close', () => done(0, ''));
    socket.write(bytes);
  }

  #takeIdle(): Socket | undefined {
    for (let socket = this.#idle.pop(); socket; socket = this.#idle.pop()) {
      if (socket.readyState === 'open') return socket.removeAllListeners();
    }
    return undefined;
  }
}
