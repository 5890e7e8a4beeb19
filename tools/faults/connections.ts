import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { retryConflicts } from '../../src/platform/postgres/connections.js';
import type { Fault } from './fault.js';

const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'goalpost'";

export const backendsTerminated: Fault = {
  title: 'All connections of the gateways are terminated, ten times in five seconds (`pg_terminate_backend`)',
  async strike({ pool }) {
    for (let time = 0; time < 10; time += 1) {
      await pool.query(terminate);
      await sleep(500);
    }
  },
};

export const connectionsExhausted: Fault = {
  title: 'Somebody else takes every connection of PostgreSQL for eight seconds',
  options: async () => ({ flags: ['max_connections=40'] }),
  async strike({ postgres }) {
    const hogs: pg.Client[] = [];
    const hold = async () => {
      const hog = new pg.Client({ connectionString: postgres.url });
      hog.on('error', () => {});
      await hog.connect().then(
        () => hogs.push(hog),
        () => sleep(50),
      );
    };
    await hold();
    await hogs[0]?.query(terminate);
    for (const end = performance.now() + 8_000; performance.now() < end; ) await hold();
    await Promise.all(hogs.map((hog) => hog.end()));
  },
};

export const tablesLocked: Fault = {
  title:
    'Somebody else locks goals, documents and files for ten seconds, so that the pools fill with statements that wait',
  async strike({ pool }) {
    const holder = await pool.connect();
    try {
      // The load may win the race for one of the tables: then it is a deadlock.
      await retryConflicts(() =>
        holder.query('ROLLBACK; BEGIN; LOCK TABLE goals, resource_hub_documents, resource_hub_files'),
      );
      await sleep(10_000);
    } finally {
      holder.release(true);
    }
  },
};

export const statementsSlow: Fault = {
  title: 'Every change takes six seconds for ten seconds, so that the pools fill with slow statements',
  async strike({ pool }) {
    await pool.query(`CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(6); RETURN NULL; END $$;
      CREATE TRIGGER be_slow AFTER INSERT ON activities FOR EACH STATEMENT EXECUTE FUNCTION be_slow()`);
    await sleep(10_000);
    await pool.query('DROP TRIGGER be_slow ON activities; DROP FUNCTION be_slow()');
  },
};
