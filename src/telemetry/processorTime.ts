/** How many requests could run now, and the processor time that each of them would have had since the process started. */
let running = 0;
let each = 0;
let ofAll = 0;
let countedAt = 0;

function count(): void {
  const now = performance.now();
  if (running > 0) {
    each += (now - countedAt) / running;
    ofAll += now - countedAt;
  }
  countedAt = now;
}

/** Milliseconds between two readings of what the process has used, and bounds for what they say. */
const reading = 50;
const factors = { least: 0.2, most: 10 };
const lastRead = { used: 0, ofAll: 0, factor: 1 };

/**
 * How much processor time the process has used lately for each millisecond that is counted for a request: sockets, the
 * driver and the collection of garbage need more than is counted, and a machine that does other things gives less.
 */
export function usedPerCounted(): number {
  count();
  const counted = ofAll - lastRead.ofAll;
  if (counted < reading) return lastRead.factor;
  const { user, system } = process.cpuUsage();
  const used = (user + system) / 1_000;
  lastRead.factor = Math.min(Math.max(factors.least, (used - lastRead.used) / counted), factors.most);
  Object.assign(lastRead, { used, ofAll });
  return lastRead.factor;
}

/**
 * The processor time of one request, about: while it does not wait, the time of the process is divided among all that
 * do not wait either. It costs two readings of the clock for each wait.
 */
export class ProcessorTime {
  #milliseconds = 0;
  #waits = 0;
  #isAdmitted = false;
  #since: number | undefined;

  get milliseconds(): number {
    count();
    return this.#milliseconds + (this.#since === undefined ? 0 : each - this.#since);
  }

  /** From when the request has its slot until it gives it back. */
  admit(isAdmitted: boolean): void {
    this.#isAdmitted = isAdmitted;
    this.#update();
  }

  beginWait(): void {
    this.#waits += 1;
    this.#update();
  }

  endWait(): void {
    this.#waits -= 1;
    this.#update();
  }

  #update(): void {
    const runs = this.#isAdmitted && this.#waits === 0;
    if (runs === (this.#since !== undefined)) return;
    count();
    if (this.#since === undefined) {
      running += 1;
      this.#since = each;
    } else {
      running -= 1;
      this.#milliseconds += each - this.#since;
      this.#since = undefined;
    }
  }
}
