import { openScene, testLog } from './isolation/scene.js';
import { tryFields } from './isolation/shownFields.js';

const scene = await openScene('what is shown');
tryFields(scene);
testLog(scene.matrix);
