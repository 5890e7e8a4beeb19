import { z } from 'zod';
import { ProgressStatus } from '../../database/generated/client/enums.js';
import { access, accessLevels } from './access.js';
import { id, insertedAt, name, optional, personId, reference, text, timestamp, updatedAt } from './fields.js';

export const project = z.strictObject({
  id: id('projects'),
  space_id: reference('spaces', 'the space it is in'),
  goal_id: optional(reference('goals', 'the goal it works towards')),
  name: name('what is being worked on'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  status: z.enum(ProgressStatus).default('pending').describe('how it is going'),
  champion_id: optional(personId('who drives it; has full access')),
  reviewer_id: optional(personId('who reviews it; has full access')),
  access_levels: accessLevels(),
  access: access(),
  closed_at: optional(timestamp('when it was closed; null: open')),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
});
