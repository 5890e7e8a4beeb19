import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import { createDatabase, createEmptyDatabase } from './database.js';
import { startServer } from './server.js';

// Each lasts until the test is over that asks for it or, outside of one, the tests of the file or of the `describe`.

function afterwards(work: () => Promise<unknown>): void {
  const end = async () => void (await work());
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

export async function temporaryDatabase() {
  const database = await createDatabase();
  afterwards(database.drop);
  return database;
}

export async function temporaryEmptyDatabase() {
  const database = await createEmptyDatabase();
  afterwards(database.drop);
  return database;
}

export async function temporaryServer(...given: Parameters<typeof startServer>) {
  const server = await startServer(...given);
  afterwards(server.stop);
  return server;
}

/** The port of this machine at which that server listens from now on. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterwards(async () => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
