import type { Running } from './contenders.js';
import { callersToken } from './dataset.js';
import { payloadOf } from './spelling.js';
import { type Step, type WorkloadName, type Workloads, wholeWorkloads } from './workloads.js';

/** Fields whose values depend on what ran before. */
const counting = /^(current_version|versions_count|version_number|restored_from_version_number|children_count)$/;
const isRead = (workload: WorkloadName) => workload === 'full goal' || workload === 'page of 50';

/**
 * Compares one answer of each workload, field by field, with that of the first contender. Reads are of the same record;
 * after writes, what differs from record to record is masked. Throws an error that names the differences.
 */
export async function verify(running: Running[], workloads: Workloads): Promise<void> {
  const references = new Map<WorkloadName, unknown>();
  for (const contender of running) {
    for (const workload of wholeWorkloads.filter((name) => contender.can(name))) {
      const step = isRead(workload) ? sameRead(workload) : workloads.next[workload]();
      if (!step) throw new Error(`no record left for ${workload}`);
      const answer = plain(await answerOf(contender, step), !isRead(workload));
      const reference = references.get(workload);
      if (reference === undefined) references.set(workload, answer);
      else refuse(differences(reference, answer, ''), `${contender.name} answers ${workload} differently`);
    }
  }
}

const sameRead = (workload: WorkloadName): Step => ({
  call: workload === 'full goal' ? { kind: 'goal', id: 'full-0' } : { kind: 'page' },
  ...reading,
});

const reading = { token: callersToken, status: 200, contains: /./, done: () => {} };

async function answerOf(contender: Running, step: Step): Promise<unknown> {
  const { path, body } = contender.spelling(step.call);
  const response = await fetch(`${contender.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${step.token}`, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${contender.name}: ${response.status} to ${body}\n${text}`);
  step.done(true);
  return payloadOf(step.call, JSON.parse(text));
}

/** The answer with REST's names and values, with keys in order. */
function plain(value: unknown, masked: boolean, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, masked, name));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .flatMap(([key, entry]) => (/^up[A-Z]/.test(key) ? Object.entries(entry) : [[key, entry] as const]))
      .filter(([key]) => key !== '__typename' && !/^end_?cursor$/i.test(key));
    const named = entries.map(([key, entry]): [string, unknown] => [snake(key), plain(entry, masked, snake(key))]);
    return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  if (typeof value === 'number') return masked && counting.test(name) ? '#' : Math.round(value * 1e6) / 1e6;
  if (typeof value !== 'string') return value;
  if (name === 'size') return Number(value);
  const text = /^[A-Z][A-Z_]+$/.test(value) && !/name|title|unit/.test(name) ? value.toLowerCase() : value;
  const isTime = /^\d{4}-\d\d-\d\dT/.test(text);
  if (isTime) return masked ? 'time' : new Date(text).toISOString();
  return masked ? text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid').replace(/\d+/g, '#') : text;
}

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function differences(expected: unknown, given: unknown, path: string): string[] {
  if (typeof expected !== 'object' || typeof given !== 'object' || expected === null || given === null) {
    return expected === given ? [] : [`${path}: ${JSON.stringify(given)} instead of ${JSON.stringify(expected)}`];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(given)]);
  const memberOf = (record: object, name: string) => (record as Record<string, unknown>)[name];
  return [...names].flatMap((name) => differences(memberOf(expected, name), memberOf(given, name), `${path}.${name}`));
}

function refuse(found: string[], title: string): void {
  if (found.length > 0) throw new Error(`${title}:\n${found.slice(0, 20).join('\n')}`);
}
