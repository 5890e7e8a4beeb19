import type { Config } from '../settings.js';
import { fileSource } from '../workspace/file.js';
import { findingText, importFrom } from '../workspace/import.js';
import { changeText, type ImportOptions, type ImportReport, UnknownChangesError } from '../workspace/report.js';
import { lists } from '../workspace/tables.js';
import { UsageError } from './exitCode.js';
import { listed, print, printError, printJson } from './print.js';
import { withDatabase } from './withDatabase.js';

const width = 30;
const delayMilliseconds = 500;

/** Draws the progress of a task that takes longer than half a second, if stderr is a terminal. */
function progressBar(out: NodeJS.WriteStream = process.stderr): (done: number, total: number) => void {
  const started = Date.now();
  return (done, total) => {
    if (!out.isTTY || Date.now() - started < delayMilliseconds) return;
    const filled = Math.round((done / total) * width);
    out.write(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}${done >= total ? '\n' : ''}`);
  };
}

interface ImportFileOptions extends Omit<ImportOptions, 'onProgress' | 'shown' | 'companyId'> {
  company?: string;
  json?: boolean;
}

const onlyForUpdates = ['removeMissing', 'overwrite'] as const;

/** Imports the workspace in a file, all of it or nothing, and prints what became of it. */
export async function importFile(
  config: Config,
  file: string | undefined,
  { json, company, ...options }: ImportFileOptions,
): Promise<void> {
  if (file === undefined) throw new UsageError('import needs a file, or - for standard input');
  const useless = onlyForUpdates.find((name) => options[name]);
  if (useless && !options.update)
    throw new UsageError(`--${useless.replace('M', '-m')} is for an update: add --update`);
  await withDatabase(config, async ({ db }) => {
    const shown = json ? 1_000_000 : 50;
    const all = { ...options, ...(company !== undefined && { companyId: company }), shown, onProgress: progressBar() };
    const report = await importFrom(db, fileSource(file), all).catch((error) => {
      if (json && error instanceof UnknownChangesError) printJson({ refused: error.changes });
      throw error;
    });
    if (json) printJson(report);
    else printReport(report, file === '-' ? 'standard input' : file, options);
  });
}

function printReport(report: ImportReport, file: string, { dryRun }: ImportOptions): void {
  const counts = Object.values(report.tables);
  const sum = (of: 'added' | 'changed' | 'removed' | 'unchanged') =>
    counts.reduce((total, each) => total + each[of], 0);
  if (report.isRepeated) {
    print(`${file} was imported already: nothing to do`);
    return;
  }
  const { length: opened } = report.openedSpaces;
  if (opened > 0)
    printError(
      `${opened === 1 ? '1 space has' : `${opened} spaces have`} no access_levels in the file, so the whole company may edit ` +
        `what is in ${opened === 1 ? 'it' : 'them'}: ${listed(report.openedSpaces)}`,
    );
  const added = sum('added');
  if (report.isNew) {
    const verb = dryRun ? 'would import' : 'imported';
    const records = 1 + Object.values(lists).reduce((total, { table }) => total + report.tables[table].added, 0);
    print(`${verb} ${records} ${records === 1 ? 'record' : 'records'} (${added} rows) from ${file}`);
    return;
  }
  for (const [table, { added: more, changed, removed, unchanged }] of Object.entries(report.tables))
    if (more + changed + removed > 0)
      print(`${table}: ${more} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`);
  for (const finding of report.findings) print(`changed: ${findingText(finding)}`);
  for (const change of report.overwritten) print(`overwritten: ${changeText(change)}`);
  const all = `${added} added, ${sum('changed')} changed, ${sum('removed')} removed, ${sum('unchanged')} unchanged`;
  print(`${dryRun ? 'would update' : 'updated'} ${report.companyId} from ${file}: ${all}`);
}
