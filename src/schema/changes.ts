import type { ChangedRecord } from '../operations/lockChanges.js';
import { storableId } from './storableIds.js';

/** For the `extensions` of a mutation field: which record it changes, if its input names one. */
export const changes = <Input>(kind: ChangedRecord['kind'], idOf: (input: Input) => string | null | undefined) => ({
  changes: ({ input }: { input: Input }): ChangedRecord | undefined => {
    const id = idOf(input);
    return id == null ? undefined : { kind, id: storableId(id) };
  },
});
