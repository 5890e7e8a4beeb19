import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answered {
  /** 0 if there was none. */
  status: number;
  /** Since the request was due. */
  milliseconds: number;
  /** How much later than due it was sent: the generator itself was too slow, or no connection was free. */
  late: number;
}

export interface Call {
  /** The whole request, as it goes over the socket. */
  bytes: string;
  onAnswer?: (status: number, body: string) => void;
}

const answerMilliseconds = 30_000;
/** As many as a balancer in front may keep. Node accepts only one new connection in each turn of its event loop. */
const connections = 1000;

/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered, over connections that are open already. One
 * that finds no free connection waits for it, and this time counts.
 */
export class OpenLoop {
  readonly #address: { host: string; port: number };
  readonly #next: () => Call;
  readonly #idle: Socket[] = [];
  readonly #queue: number[] = [];
  readonly #answers: Answered[] = [];
  #pending = 0;

  constructor(base: string, next: () => Call) {
    const { hostname, port } = new URL(base);
    this.#address = { host: hostname, port: Number(port) };
    this.#next = next;
  }

  async run(rate: number, seconds: number): Promise<Answered[]> {
    await this.#connect();
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

  async #connect(): Promise<void> {
    for (let opened = this.#idle.length; opened < connections; opened++) {
      const socket = connect({ ...this.#address, noDelay: true });
      await once(socket, 'connect');
      this.#idle.push(socket.on('error', () => {}));
    }
  }

  #send(dueAt: number): void {
    const socket = this.#takeIdle();
    this.#pending += 1;
    if (socket) this.#sendOver(socket, dueAt);
    else this.#queue.push(dueAt);
  }

  #sendOver(socket: Socket, dueAt: number): void {
    const { bytes, onAnswer } = this.#next();
    const late = performance.now() - dueAt;
    let received = '';
    const done = (status: number, body: string) => {
      socket.removeAllListeners();
      this.#pending -= 1;
      this.#answers.push({ status, milliseconds: performance.now() - dueAt, late });
      onAnswer?.(status, body);
      socket.on('error', () => {});
      if (status > 0 && !/^connection: close/im.test(received)) {
        this.#free(socket);
        return;
      }
      socket.destroy();
      this.#free(connect({ ...this.#address, noDelay: true }).on('error', () => {}));
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

  #free(socket: Socket): void {
    const dueAt = this.#queue.shift();
    if (dueAt === undefined) this.#idle.push(socket);
    else this.#sendOver(socket.removeAllListeners(), dueAt);
  }

  #takeIdle(): Socket | undefined {
    for (let socket = this.#idle.pop(); socket; socket = this.#idle.pop()) {
      if (socket.readyState === 'open' || socket.connecting) return socket.removeAllListeners();
    }
    return undefined;
  }
}
