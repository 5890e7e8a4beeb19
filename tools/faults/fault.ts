import type { System, SystemOptions } from '../consistency/system.js';

/** Something that breaks while clients read and write on both surfaces. */
export interface Fault {
  title: string;
  options?: () => Promise<SystemOptions>;
  /** Why it cannot be tried here; undefined if it can. */
  unable?: () => string | undefined;
  /** Breaks something, and ends when the cause is gone. */
  strike(system: System): Promise<void>;
  /** Undoes what `options` did, outside the system. */
  cleanUp?: () => Promise<void>;
}
