import type { Context } from '../context.js';
import type { ReopenAudience } from '../lists/reopenAudience.js';
import { loadGoalToReopen, type ReopenGoalInput } from './loadGoalToReopen.js';

export interface GoalReopenPreview {
  /** Null when the input names no goal. */
  goalId: string | null;
  wouldReopen: boolean;
  audience: ReopenAudience;
}

const nobody: ReopenAudience = { goalId: '', invited: [], mentioned: [], everyone: false };

/** What reopenGoal would do with the same input. Makes the same checks, with the same errors, and writes nothing. */
export async function previewGoalReopen(context: Context, input: ReopenGoalInput): Promise<GoalReopenPreview> {
  const { id: goalId } = input;
  if (goalId == null) return { goalId: null, wouldReopen: false, audience: nobody };
  const { isClosed, audience } = await loadGoalToReopen(context, goalId, input);
  return { goalId, wouldReopen: isClosed, audience };
}
