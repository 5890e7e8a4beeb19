import { describe, expect, test } from 'vitest';
import { mayBreak, releasedChangelog } from '../../../tools/release/changelog.js';
import { textOf } from '../../support/documents.js';

const text =
  '# Changelog\n\nFor everyone.\n\n## Unreleased\n\n### Added\n\n- Pears.\n\n## 1.0.0 - 2026-01-01\n\n- Apples.\n';
const release = { version: '1.1.0', date: '2026-02-03', breaking: [] };

describe('a release', () => {
  test('moves what is unreleased in the changelog under its version and date', () => {
    expect(releasedChangelog(text, release)).toBe(
      '# Changelog\n\nFor everyone.\n\n## Unreleased\n\n## 1.1.0 - 2026-02-03\n\n### Added\n\n- Pears.\n\n## 1.0.0 - 2026-01-01\n\n- Apples.\n',
    );
  });

  test('lists what breaks clients of the release before, as the comparison of the contracts names it', () => {
    const breaking = ['REST: POST /reopen_goal: was removed'];
    expect(releasedChangelog(text, { ...release, breaking })).toContain(
      '\n## 1.1.0 - 2026-02-03\n\n### Breaks clients\n\n- REST: POST /reopen_goal: was removed\n\n### Added\n',
    );
  });

  test('needs something that is unreleased', () => {
    expect(() => releasedChangelog(releasedChangelog(text, release), release)).toThrow('nothing under "Unreleased"');
    expect(() => releasedChangelog('# Changelog\n', release)).toThrow('no heading');
  });

  test('can be made from the changelog as it is', () => {
    expect(textOf('docs/changelog.md')).toMatch(/^## Unreleased$/m);
  });

  test.each([
    ['0.1.0', '0.1.1', false],
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '1.0.0', true],
    ['1.0.0', '1.1.0', false],
    ['1.1.0', '2.0.0', true],
  ])('from %s to %s may break clients: %s', (from, to, allowed) => {
    expect(mayBreak(from, to)).toBe(allowed);
  });
});
