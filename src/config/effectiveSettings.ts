import { configOf } from './config.js';
import { type Environment, givenIn } from './environment.js';
import { type Setting, settings } from './settings.js';
import { shownText } from './shownText.js';

export interface EffectiveSetting {
  name: string;
  /** As a person may see it, without a password; undefined if it is not set and has no default. */
  value: string | undefined;
  source: 'environment' | '.env' | 'default';
}

/** Every setting as it counts, and where it comes from. Throws a ConfigError. */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  const given = givenIn(environment);
  const { appUrl, maxConcurrentRequests } = configOf(environment);
  const standard: Partial<Record<Setting, unknown>> = {
    ...settings.parse({}),
    DATABASE_URL: 'the embedded PostgreSQL',
    APP_URL: appUrl,
    MAX_CONCURRENT_REQUESTS: maxConcurrentRequests,
  };
  return (Object.keys(settings.shape) as Setting[]).map((name) => {
    const text = given[name];
    if (text === undefined) return { name, value: shownDefault(standard[name]), source: 'default' };
    return { name, value: shownText(name, text), source: environment.fromFile.has(name) ? '.env' : 'environment' };
  });
}

function shownDefault(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === undefined || Array.isArray(value) ? undefined : String(value);
}
