import { tryMutations } from '../../access/isolation/changes.js';
import { openScene, testLog } from '../../access/isolation/scene.js';

const scene = await openScene('mutations', { isWhole: true });
tryMutations(scene);
testLog(scene.matrix);
