import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { noted } from './companyBinding.js';
import { pathOf } from './documents.js';
import { forgetExchanges, lastExchanges } from './exchanges.js';
import { seeds } from './seedOf.js';

// A worker runs this before each of its files.
noted.clear();
seeds.length = 0;

/** A failure says how to run the test alone, with the seeds of its searches, and what its last requests were. */
beforeEach(({ onTestFailed, task }) => {
  forgetExchanges();
  onTestFailed(() => {
    const error = task.result?.errors?.[0];
    if (!error) return;
    const file = relative(pathOf('.'), task.file.filepath);
    const title = task.fullTestName.replace(/[.*+?^${}()|[\]\\]/g, '.');
    const alone = `Alone: ${seeds.map((seed) => `${seed} `).join('')}npm run test:all -- ${file} -t ${JSON.stringify(title)}`;
    error.message = [error.message, ...lastExchanges(), alone].join('\n\n');
  });
});
