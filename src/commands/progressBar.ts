const width = 30;
const quietMilliseconds = 500;

/** Draws on stderr once a long task has taken a while; nothing where nobody watches. */
export function progressBar(out: NodeJS.WriteStream = process.stderr): (done: number, total: number) => void {
  const started = Date.now();
  return (done, total) => {
    if (!out.isTTY || Date.now() - started < quietMilliseconds) return;
    const filled = Math.round((done / total) * width);
    out.write(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}${done >= total ? '\n' : ''}`);
  };
}
