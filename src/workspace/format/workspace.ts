import { z } from 'zod';
import { PersonType } from '../../database/generated/client/enums.js';
import { access, accessLevels } from './access.js';
import { document } from './documents.js';
import { flag, id, insertedAt, listOf, name, optional, personId, text, timestamp, updatedAt } from './fields.js';
import { goal } from './goals.js';
import { file, folder, resourceHub } from './hub.js';
import { project } from './projects.js';

const company = z.strictObject({
  id: id('companies'),
  name: name('its name'),
  inserted_at: insertedAt(),
});

const person = z.strictObject({
  id: id('people'),
  full_name: name('as shown'),
  title: optional(text('what they do')),
  email: optional(text('their address')),
  avatar_url: optional(text('their picture')),
  type: z.enum(PersonType).default('human').describe('a guest has only the access given to them'),
  is_owner: flag('full access to everything'),
  suspended_at: optional(timestamp('when they were suspended; their tokens no longer work')),
  inserted_at: insertedAt(),
});

const member = z.strictObject({
  person_id: personId('who is a member; once in a list'),
  inserted_at: insertedAt(),
});

const space = z.strictObject({
  id: id('spaces'),
  name: name('its name'),
  mission: optional(text('what it is for')),
  is_company_space: flag("whether it is the company's own"),
  access_levels: accessLevels(),
  access: access(),
  members: listOf(member, 'person_id').describe('who belongs to it'),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
});

/** The import format: one document for one whole workspace. */
export const workspace = z.strictObject({
  company: company.describe('the workspace itself'),
  people: listOf(person).describe('everyone the rest refers to'),
  spaces: listOf(space).describe('where goals and projects live'),
  goals: listOf(goal).describe('goals and everything about them'),
  projects: listOf(project).describe('projects'),
  resource_hubs: listOf(resourceHub).describe('places for folders, files and documents'),
  folders: listOf(folder).describe('folders, nested to any depth'),
  files: listOf(file).describe('files and what people said about them'),
  documents: listOf(document).describe('documents with all their versions'),
});

export type Workspace = z.output<typeof workspace>;
