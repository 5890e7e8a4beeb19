import * as z from 'zod';
import { eventKind } from '../../events/event.js';
import { PersonType } from '../../generated/client/enums.js';
import { readCursor } from '../../lists/engine.js';
import {
  access,
  accessLevels,
  flag,
  id,
  insertedAt,
  integer,
  listOf,
  name,
  optional,
  personId,
  recordOf,
  shortText,
  text,
  times,
  timestamp,
} from './fields.js';
import { goal, project } from './goals.js';
import { document, file, folder, resourceHub } from './hub.js';

const company = recordOf('companies', {
  id: id(),
  name: name('its name'),
  inserted_at: insertedAt(),
});

const person = recordOf('people', {
  id: id(),
  full_name: name('the name to display'),
  title: optional(shortText('their job title')),
  email: optional(shortText('their email address')),
  avatar_url: optional(text('URL of their picture')),
  type: z.enum(PersonType).default('human').describe('a guest has only the access granted to them'),
  is_owner: flag('whether they own the company and have full access to everything'),
  suspended_at: optional(timestamp('when they were suspended; their tokens are rejected')),
  inserted_at: insertedAt(),
});

const member = recordOf('space_members', {
  person_id: personId('who is a member; at most once per list'),
  inserted_at: insertedAt(),
});

const space = recordOf('spaces', {
  id: id(),
  name: name('its name'),
  mission: optional(text('its purpose')),
  is_company_space: flag('whether it is the space of the whole company'),
  access_levels: accessLevels('0, 70, 100, so that the whole company may edit what is in it'),
  access: access(),
  members: listOf(member, 'person_id').describe('its members'),
  ...times(),
});

const ids = (about: string) => z.array(text('the id of a record that is gone')).default([]).describe(about);

const removed = z.strictObject({
  people: ids('people, who are suspended, and whose tokens are revoked'),
  spaces: ids('spaces'),
  goals: ids('goals'),
  projects: ids('projects'),
  resource_hubs: ids('resource hubs'),
  folders: ids('folders'),
  files: ids('files'),
  documents: ids('documents'),
});

/** The import format: one document for one whole workspace. */
export const workspace = z.strictObject({
  company: company.describe('the company whose workspace this is'),
  revision: optional(
    integer(
      'number of the file, which grows with each one; an update that is not newer is refused',
      1,
      Number.MAX_SAFE_INTEGER,
    ),
  ),
  as_of: optional(
    z
      .string({
        error: 'must be a cursor of the feed, a string such as "WyJldmVudHMi…"; a bare number does not name an event',
      })
      .refine((value) => readCursor(eventKind, value) !== null, 'is not a cursor of the feed')
      .describe('cursor of the feed up to which the writer of the file had taken in every event; without it, none'),
  ),
  removed: optional(removed.describe('ids of records that are gone, for an update')),
  people: listOf(person).describe('everyone in the company'),
  spaces: listOf(space).describe('spaces, which hold goals and projects'),
  goals: listOf(goal).describe('goals and everything about them'),
  projects: listOf(project).describe('projects'),
  resource_hubs: listOf(resourceHub).describe('resource hubs, which hold folders, files and documents'),
  folders: listOf(folder).describe('folders, nested to any depth'),
  files: listOf(file).describe('files and everything about them'),
  documents: listOf(document).describe('documents with all their versions'),
});

export type Workspace = z.output<typeof workspace>;
