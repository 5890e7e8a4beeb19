/** Whether clients of `from` must expect that `to` breaks them, as semantic versioning says. */
export function mayBreak(from: string, to: string): boolean {
  const [[oldMajor = 0, oldMinor = 0], [major = 0, minor = 0]] = [from, to].map((version) =>
    version.split('.').map(Number),
  ) as [number[], number[]];
  return major > oldMajor || (oldMajor === 0 && minor > oldMinor);
}

interface Release {
  version: string;
  /** Such as `2026-11-22`. */
  date: string;
  /** What breaks clients of the release before. */
  breaking: string[];
}

const start = '## Unreleased\n';
const never = 'Nothing has been released yet.\n\n';

/** The changelog with what is unreleased under the version. Throws if nothing is. */
export function releasedChangelog(text: string, { version, date, breaking }: Release): string {
  const [before = '', after] = text.replace(never, '').split(start);
  if (after === undefined) throw new Error('docs/changelog.md has no heading "Unreleased".');
  const next = after.search(/^## /m);
  const [changes, earlier] = next < 0 ? [after, ''] : [after.slice(0, next), after.slice(next)];
  if (changes.trim() === '') throw new Error('docs/changelog.md has nothing under "Unreleased".');
  const broken = breaking.length > 0 ? `### Breaks clients\n\n${breaking.map((line) => `- ${line}\n`).join('')}\n` : '';
  return `${before}${start}\n## ${version} - ${date}\n\n${broken}${changes.trim()}\n${earlier && `\n${earlier}`}`;
}
