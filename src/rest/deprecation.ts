/** The removal of a path, announced. docs/clients.md, "Deprecation", says what callers may rely on. */
export interface Deprecation {
  /** The day of the release that announces it, such as `2027-01-31`. */
  since: string;
  /** The first day on which a release may lack the path. */
  sunset: string;
}

/** Days that callers have at least. */
export const leastNotice = 180;

const day = 24 * 3600 * 1000;

/** The headers of every response of a deprecated path (RFC 9745, RFC 8594). Throws if the notice is too short. */
export function deprecationHeaders(path: string, deprecation: Deprecation | undefined): Record<string, string> {
  if (!deprecation) return {};
  const [since, sunset] = [Date.parse(deprecation.since), Date.parse(deprecation.sunset)];
  if (!(sunset - since >= leastNotice * day)) {
    throw new Error(`the sunset of ${path} must be at least ${leastNotice} days after its deprecation`);
  }
  return { Deprecation: `@${since / 1000}`, Sunset: new Date(sunset).toUTCString() };
}
