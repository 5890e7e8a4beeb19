interface Target {
  from: number;
  to: number;
  value: number;
}

interface Check {
  completed: boolean;
}

/**
 * The mean of the progress of each target and of the checklist as a whole, 0 to 100, rounded to two decimals; 0 if there
 * is neither.
 */
export function progressPercentage(targets: Target[], checklist: Check[]): number {
  const parts = targets.map(progressOf);
  if (checklist.length > 0) parts.push((checklist.filter(isCompleted).length / checklist.length) * 100);
  if (parts.length === 0) return 0;
  const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
  return Math.round(mean * 100) / 100;
}

const progressOf = ({ from, to, value }: Target) =>
  from === to ? 0 : Math.min(100, Math.max(0, ((value - from) / (to - from)) * 100));

const isCompleted = ({ completed }: Check) => completed;
