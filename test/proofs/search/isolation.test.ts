import { tryFilters, tryLookUps, tryPaths } from '../../access/isolation/lookUps.js';
import { openScene, testLog } from '../../access/isolation/scene.js';

const scene = await openScene('asking', { isWhole: true });
tryLookUps(scene);
tryFilters(scene);
tryPaths(scene);
testLog(scene.matrix);
