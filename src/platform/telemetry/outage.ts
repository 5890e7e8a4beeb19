import { open } from 'node:fs/promises';
import type { Logger } from 'pino';
import { isConflict, isLocked, isUnavailable, reasonOf } from '../postgres/index.js';

/** How many polls without a failure end it: some failures are known only when a time limit has passed. */
const calmPolls = 6;

interface Words {
  begins: string;
  ends: string;
}

/** Warns when something begins to fail, and when it works again: once each, however often it fails in between. */
export class Outage {
  /** How many more polls it takes; 0 if nothing fails. */
  #left = 0;

  /** What fails because of `cause` is not said again. */
  constructor(
    private readonly logger: Logger,
    private readonly words: Words,
    private readonly cause?: DatabaseOutage,
  ) {}

  onFailure(error: unknown): void {
    if (this.cause?.explains(error)) this.cause.onFailure(error);
    else this.begin({ err: error });
  }

  /** After a failure of the same, it has ended; otherwise something else may fail on. */
  onSuccess({ afterFailure = false } = {}): void {
    if (this.#left === 0) return;
    this.#left = afterFailure ? 0 : this.#left - 1;
    if (this.#left === 0) this.logger.warn(this.words.ends);
  }

  protected begin(fields: object): void {
    if (this.#left === 0) this.logger.warn(fields, this.words.begins);
    this.#left = calmPolls;
  }
}

/** A database that cannot be reached, refuses to work, or is too slow: for the whole process, one warning at each end. */
export class DatabaseOutage extends Outage {
  constructor(logger: Logger) {
    super(logger, {
      begins: 'the database fails; what needs it gets 503 meanwhile',
      ends: 'the database works again',
    });
  }

  /** A conflict, or a lock that somebody else holds, is a matter of one request. */
  explains(error: unknown): boolean {
    return isUnavailable(error) && !isConflict(error) && !isLocked(error);
  }

  override onFailure(error: unknown): void {
    this.begin({ reason: reasonOf(error) });
  }
}

const watchMilliseconds = 5_000;

/** Warns while this process can open no more files and connections: those who want one only see a timeout. */
export function watchFiles(logger: Logger): () => void {
  const outage = new Outage(logger, {
    begins: 'all file descriptors are used: new connections wait; raise the limit (ulimit -n, LimitNOFILE)',
    ends: 'file descriptors are free again',
  });
  const look = async () => {
    try {
      await (await open('/dev/null')).close();
      outage.onSuccess({ afterFailure: true });
    } catch (error) {
      if (['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) outage.onFailure(error);
    }
  };
  const timer = setInterval(() => void look(), watchMilliseconds).unref();
  return () => clearInterval(timer);
}
