import leven from 'leven';

/** Longer paths are not typing errors, and comparing them would take time. */
const longest = 100;

/** The path that the caller may have meant: spelled similarly, as a whole or in its last segment. */
export function nearestPath(given: string, paths: readonly string[]): string | undefined {
  if (given.length > longest) return undefined;
  const distances = paths.map((path) => ({ path, distance: distanceOf(given.toLowerCase(), path.toLowerCase()) }));
  const [nearest] = distances.sort((one, other) => one.distance - other.distance);
  return nearest && nearest.distance <= lastSegment(nearest.path).length / 3 ? nearest.path : undefined;
}

function distanceOf(given: string, path: string): number {
  const last = lastSegment(given);
  return Math.min(leven(given, path), last ? leven(last, lastSegment(path)) : Number.POSITIVE_INFINITY);
}

const lastSegment = (path: string) => path.slice(path.lastIndexOf('/') + 1);
