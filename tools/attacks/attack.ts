/** A gateway that is attacked, as its attacker knows it. */
export interface Target {
  base: string;
  /** A token that may only read, of a company with much data. */
  token: string;
  /** A token of the same company that may also write. */
  writeToken: string;
  /** Ten more of the first kind. */
  moreTokens: readonly string[];
  isOver: () => boolean;
  /** Notes what became of a request: its status, or else what happened. */
  count: (outcome: number | string) => void;
}

/** The worst that one caller does, until it is over. */
export interface Attack {
  title: string;
  /** Of the gateway, beside its defaults. */
  settings?: Record<string, string>;
  /** Who suffers, if that is nobody of another company, and what they ask for. */
  victim?: { company: string; person: string; query: string };
  strike(target: Target): Promise<void>;
}
