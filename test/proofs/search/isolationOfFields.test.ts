import { openScene, testLog } from '../../access/isolation/scene.js';
import { tryFields } from '../../access/isolation/shownFields.js';

const scene = await openScene('what is shown', { isWhole: true });
tryFields(scene);
testLog(scene.matrix);
