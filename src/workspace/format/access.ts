import { z } from 'zod';
import { listOf, ownId, personId } from './fields.js';

const level = () => z.literal([0, 10, 40, 70, 100]);

/** Access without a personal grant: of everyone, the company, and the members of the space. */
export const accessLevels = () =>
  z
    .strictObject({
      public: level().describe('a value above 0 marks it as public, but gives nobody access'),
      company: level().describe('everyone in the company except guests'),
      space: level().describe('members of the space'),
    })
    .default({ public: 0, company: 70, space: 100 })
    .describe(
      'who has access without a grant, each 0 none, 10 view, 40 comment, 70 edit or 100 full; default: 0, 70, 100',
    );

const grant = z.strictObject({
  id: ownId('access_grants'),
  person_id: personId('who has the access; at most once per list'),
  level: level().describe('0 none, 10 view, 40 comment, 70 edit, 100 full'),
});

export const access = () => listOf(grant, 'person_id').describe('personal access, in addition to the levels');
