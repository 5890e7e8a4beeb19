import { openScene, testLog } from './isolation/scene.js';
import { streaming, tryStreams } from './isolation/streams.js';

const scene = await openScene('streams', { streaming });
tryStreams(scene);
testLog(scene.matrix);
