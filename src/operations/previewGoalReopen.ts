import type { Context } from '../context.js';
import { isToReopen, type ReopenGoalInput } from './reopening.js';

export interface GoalReopenPreview {
  input: ReopenGoalInput;
  wouldReopen: boolean;
}

/** What reopenGoal would do with the same input: the same checks, and nothing written. */
export const previewGoalReopen = async (context: Context, input: ReopenGoalInput): Promise<GoalReopenPreview> => ({
  input,
  wouldReopen: input.id != null && (await isToReopen(context, input.id, input)),
});
