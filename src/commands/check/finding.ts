/** One thing that `check` has found. */
export interface Finding {
  kind: 'ok' | 'note' | 'problem';
  text: string;
}

export const fine = (text: string): Finding => ({ kind: 'ok', text });
/** What works, and could be better. */
export const note = (text: string): Finding => ({ kind: 'note', text });
export const problem = (text: string): Finding => ({ kind: 'problem', text });
