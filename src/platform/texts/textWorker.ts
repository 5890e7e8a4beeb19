import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { fileUrl } from '../../fileSystem.js';
import { failure } from '../failures/index.js';
import { FairQueue, LongRequest, type Principal } from '../limits/index.js';

/** Tests and `npm run dev` run the sources. */
const isBuilt = import.meta.url.endsWith('.js');
const fromSource = (file: URL) =>
  `import('tsx/esm/api').then(({ tsImport }) => tsImport('${file}', '${import.meta.url}'))`;

/** How long one request may use the thread in all, in milliseconds. */
export interface Budget {
  left: number;
}

/** In milliseconds: what a request may use of the thread in all, and how long a call waits for its turn at most. */
interface TextLimits {
  use: number;
  wait: number;
}

const defaults: TextLimits = { use: 500, wait: 2_000 };
/** What takes longer will never end: the largest text is parsed within a few seconds, whatever else runs. */
const longestWhole = 60_000;
/** The tree of the largest text takes 120, whatever its shape. */
const heapMegabytes = 144;
/** A thread that nobody has needed for so long is ended. */
const idleMilliseconds = 10_000;
/** What a function may use of the time that is left; the rest is for its result. */
const partForWork = 0.8;

/**
 * One thread for functions whose time or memory grows faster than the texts they get. What exceeds its time or the heap
 * ends the thread, and nothing else.
 */
export class TextWorker {
  /** Companies in turn, and the tokens of each. */
  readonly #turns = new FairQueue({ seats: 1, refuses: false });
  #thread: Worker | undefined;
  #ready: Promise<unknown> | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  /** Gets what the thread posts next; undefined if it has ended. */
  #posted: (message: unknown) => void = () => {};
  #idle: NodeJS.Timeout | undefined;

  /**
   * The file is named by its path from `src`, without its extension. It posts `ready`, then for each
   * `{ name, args, milliseconds }` the result of that function.
   */
  constructor(
    private readonly file: string,
    private readonly logger: Logger,
    private readonly limits: TextLimits = defaults,
  ) {}

  /** For the calls of one request. */
  newBudget(): Budget {
    return { left: this.limits.use };
  }

  /** The result of a function that no time may cut short. 503 if its turn does not come, or no thread can start. */
  async whole(principal: Principal, name: string, args: unknown[]): Promise<unknown> {
    const result = await this.call(principal, { left: longestWhole }, name, args);
    if (result === undefined) throw failure('SERVICE_UNAVAILABLE');
    return result;
  }

  /** The result of a function; undefined if it exceeds the request's time, or the heap. 503 if its turn does not come. */
  async call(
    { tokenId: id, companyId: flow }: Principal,
    budget: Budget,
    name: string,
    args: unknown[],
  ): Promise<unknown> {
    if (budget.left <= 0) return undefined;
    // Nobody waits for the start in the queue: it depends on no other call.
    await this.#start();
    const turn = new LongRequest(this.#turns, { id, flow });
    try {
      const decision = await turn.enterWithin(this.limits.wait);
      if (decision !== 'admitted') throw failure('SERVICE_UNAVAILABLE', { overloaded: true });
      return await this.#run(budget, name, args);
    } finally {
      turn.end();
    }
  }

  async #run(budget: Budget, name: string, args: unknown[]): Promise<unknown> {
    const { left } = budget;
    if (left <= 0) return undefined;
    await this.#start();
    clearTimeout(this.#idle);
    const start = performance.now();
    const timer = setTimeout(() => {
      budget.left = 0;
      this.logger.warn(`texts: ${name} took more than ${Math.round(left)} ms`);
      this.#end();
    }, left);
    const result = await this.#post({ name, args, milliseconds: partForWork * left });
    clearTimeout(timer);
    budget.left -= performance.now() - start;
    this.#idle = setTimeout(() => this.#end(), idleMilliseconds).unref();
    return result;
  }

  /** Starts the thread, unless it is there, once the one before has ended. */
  #start(): Promise<unknown> {
    if (this.#ready) return this.#ready;
    this.#ready = this.#ended.then(() => {
      const options = { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes }, execArgv: [] };
      const thread = isBuilt
        ? new Worker(fileUrl(`${this.file}.js`), options)
        : new Worker(fromSource(fileUrl(`${this.file}.ts`)), { ...options, eval: true });
      this.#thread = thread;
      thread.unref();
      thread.on('message', (message) => this.#posted(message));
      thread.on('error', (error) => this.logger.warn({ err: error }, 'texts: the thread failed'));
      thread.on('exit', () => this.#thread === thread && this.#end());
      return this.#post(undefined);
    });
    // A machine may have no thread left: the next call tries again.
    this.#ready = this.#ready.catch((error) => {
      this.#ready = undefined;
      this.logger.warn({ err: error }, 'texts: the thread cannot start');
    });
    return this.#ready;
  }

  #end(): void {
    this.#ended = this.#thread?.terminate() ?? this.#ended;
    this.#thread = undefined;
    this.#ready = undefined;
    this.#posted(undefined);
  }

  /** Posts a message, if there is one, and returns what the thread posts then; undefined if it has ended. */
  #post(message: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      this.#posted = resolve;
      if (!this.#thread) resolve(undefined);
      else if (message !== undefined) this.#thread.postMessage(message);
    });
  }
}
