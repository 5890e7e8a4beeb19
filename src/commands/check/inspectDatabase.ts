import type { Config } from '../../config/config.js';
import { type InspectedServer, inspectServers } from '../../database/admin/inspect.js';
import { hasCluster } from '../../database/embedded/cluster.js';
import { startEmbedded } from '../../database/embedded/startEmbedded.js';
import { type InspectedReplica, inspectReplicas } from '../../database/servers/replicas/inspectReplicas.js';
import { encryptionFinding } from './encryptionFinding.js';
import { type Finding, fine, note, problem } from './finding.js';
import { inspectPrimary } from './inspectPrimary.js';

/** Says what each server of the database says, also the embedded one, which it starts for that. */
export async function inspectDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) return inspectAt(databaseUrl, config);
  if (!(await hasCluster(dataDir))) return [note(`there is no embedded PostgreSQL in ${dataDir} yet; serve makes it`)];
  const server = await startEmbedded({ dataDir, share: true });
  try {
    return [fine(`the embedded PostgreSQL runs; its data is in ${dataDir}`), ...(await inspectAt(server.url, config))];
  } finally {
    await server.stop();
  }
}

async function inspectAt(url: string, config: Config): Promise<Finding[]> {
  const servers = await inspectServers(url, config.databaseTimeouts);
  const findings = servers.flatMap((server) => {
    if ('failure' in server) return [problem(`${server.address} cannot be reached: ${server.failure}`)];
    const { address, version, role, encryption } = server;
    const isTooOld = Number.parseInt(version, 10) < 14;
    const found = isTooOld
      ? problem(`${address} has PostgreSQL ${version}; 14 or newer is needed`)
      : fine(`${address} answers: PostgreSQL ${version}, ${role}`);
    return [found, encryptionFinding(address, encryption)];
  });
  const primary = servers.find((server): server is InspectedServer => 'role' in server && server.role === 'primary');
  if (primary) return [...findings, ...(await inspectPrimary(primary, config)), ...(await replicasOf(primary, config))];
  const isReached = servers.some((server) => 'role' in server);
  return isReached ? [...findings, problem('no server accepts writes')] : findings;
}

async function replicasOf(primary: InspectedServer, { replicaUrls, databaseTimeouts }: Config): Promise<Finding[]> {
  if (replicaUrls.length === 0) return [];
  return (await inspectReplicas(replicaUrls, primary.url, databaseTimeouts.connect)).flatMap(replicaFindings);
}

function replicaFindings(replica: InspectedReplica): Finding[] {
  const name = `the replica ${replica.address}`;
  if ('failure' in replica) return [problem(`${name} is not used: ${replica.failure}`)];
  if ('isPrimary' in replica) return [fine(`${name} is a primary now; it answers once it is a standby`)];
  const used = fine(`${name} answers queries; it is ${replica.bytesBehind} bytes behind`);
  return [used, encryptionFinding(replica.address, replica.encryption)];
}
