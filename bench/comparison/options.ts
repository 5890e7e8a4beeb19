import { parseArgs } from 'node:util';
import { type ContenderName, contenders } from './contenders.js';
import { type Sizes, usualSizes } from './dataset.js';
import { axisNames } from './growth.js';
import { type WorkloadName, workloadNames } from './workloads.js';

export interface Options {
  /** Of the file of the results. */
  name: 'comparison' | 'smoke';
  contenders: ContenderName[];
  workloads: WorkloadName[];
  connections: number[];
  rounds: number;
  seconds: number;
  /** How often the gateway is started, to see how long that takes. */
  starts: number;
  /** Whether the data grows too, after the comparison on one data set. */
  growth: boolean;
  /** The only things that grow, if not all. */
  axes: string[] | undefined;
  /** The largest size that growth tries. */
  largest: number;
  sizes: Sizes;
  /** A Node for PostGraphile, which needs 22 or later; undefined for the one that runs this. */
  peerNode: string | undefined;
  /** Settings of the gateway besides those of every run. */
  environment: Record<string, string>;
  /** Whether bench/figures.md is written. */
  write: boolean;
  /** Whether the results of the last run are taken, instead of measuring. */
  again: boolean;
}

const usage = `Usage: npm run bench -- [options]
  --contenders <a;b>   ${Object.keys(contenders).join('; ')}
  --workloads <a;b>    ${workloadNames.join('; ')}
  --connections <n,n>  of the closed loops (1,16)
  --rounds <n>         (4)
  --seconds <n>        of each measurement (0.4)
  --goals <n> --documents <n> --versions <n> --recipients <n> --depth <n>   how much data there is
  --peer-node <path>   the Node for PostGraphile, which needs 22 or later
  --growth             also how throughput changes with the data and with connections, for the gateway and Mercurius by hand
  --axes <a;b>         only what grows of: ${axisNames.join('; ')}
  --largest <n>        of the sizes that --growth tries (1000000)
  --smoke              some seconds, without the peers: whether all of this still works
  --write              writes the tables of bench/figures.md
  --again              measures nothing, and takes the results of the last run`;

/** So that a loaded machine makes no answer of the smoke run a 503. */
const patience = {
  DATABASE_TIMEOUT_MS: '60000',
  DATABASE_STATEMENT_TIMEOUT_MS: '60000',
};

const listed = <Name extends string>(text: string, names: readonly Name[]): Name[] =>
  text.split(';').map((part) => {
    const name = names.find((known) => known === part.trim());
    if (!name) throw new Error(`unknown: ${part}\n${usage}`);
    return name;
  });

/** Reads the command line. Prints the usage and ends the process if that is asked for. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      contenders: { type: 'string', default: Object.keys(contenders).join(';') },
      workloads: { type: 'string', default: workloadNames.join(';') },
      connections: { type: 'string', default: '1,16' },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '0.4' },
      goals: { type: 'string' },
      documents: { type: 'string' },
      versions: { type: 'string' },
      recipients: { type: 'string' },
      depth: { type: 'string' },
      'peer-node': { type: 'string' },
      largest: { type: 'string', default: '1000000' },
      growth: { type: 'boolean', default: false },
      axes: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit();
  }
  const { goals, documents, versions, recipients, depth } = values;
  const given = Object.entries({ goals, documents, versions, recipients, depth }).filter(([, value]) => value);
  const sizes = { ...usualSizes, ...Object.fromEntries(given.map(([name, value]) => [name, Number(value)])) };
  const { growth, write, again } = values;
  const common = {
    name: 'comparison' as const,
    largest: Number(values.largest),
    axes: values.axes === undefined ? undefined : listed(values.axes, axisNames),
    growth,
    starts: 3,
    write,
    again,
    peerNode: values['peer-node'],
    environment: {},
  };
  if (values.smoke) {
    return {
      ...common,
      environment: patience,
      name: 'smoke',
      starts: 1,
      contenders: ['gateway', 'Yoga, by hand'],
      workloads: workloadNames,
      connections: [1, 16],
      rounds: 1,
      seconds: 0.1,
      sizes: { ...sizes, goals: 500, documents: 200, recipients: 100, pool: 400 },
    };
  }
  const asked = listed(values.contenders, Object.keys(contenders) as ContenderName[]);
  const isOldNode = Number(process.versions.node.split('.')[0]) < 22;
  if (asked.includes('PostGraphile') && isOldNode && !common.peerNode && !again) {
    throw new Error('PostGraphile 5 needs Node 22 or later: use --peer-node, or --contenders without it.');
  }
  return {
    ...common,
    contenders: asked,
    workloads: listed(values.workloads, workloadNames),
    connections: values.connections.split(',').map(Number),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    sizes,
  };
}
