import { openScene, testLog } from '../../access/isolation/scene.js';
import { streaming, tryStreams } from '../../access/isolation/streams.js';

const scene = await openScene('streams', { isWhole: true, streaming });
tryStreams(scene);
testLog(scene.matrix);
