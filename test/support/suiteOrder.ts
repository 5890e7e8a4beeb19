import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest comes first among the proofs, so that no worker is alone with it at the end. */
const folders = ['browser', 'builds', 'faults', 'commands', 'serving', 'search'].map((name) => `/test/proofs/${name}/`);

/** The fast suite comes first: what it finds is known soonest. */
export class SuiteOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => folders.findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
