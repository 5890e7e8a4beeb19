import { tryMutations } from './isolation/changes.js';
import { openScene, testLog } from './isolation/scene.js';

const scene = await openScene('mutations');
tryMutations(scene);
testLog(scene.matrix);
