const width = 30;
const delayMilliseconds = 500;

/** Draws the progress of a task that takes longer than half a second, if stderr is a terminal. */
export function progressBar(out: NodeJS.WriteStream = process.stderr): (done: number, total: number) => void {
  const started = Date.now();
  return (done, total) => {
    if (!out.isTTY || Date.now() - started < delayMilliseconds) return;
    const filled = Math.round((done / total) * width);
    out.write(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}${done >= total ? '\n' : ''}`);
  };
}
