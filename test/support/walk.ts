import type { Json } from './world.js';

/** All nodes of a connection in their order, page by page: forwards, or backwards from its end. */
export async function walk(read: (cursor: string | null) => Promise<Json>, { back = false } = {}): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: string | null = null, hasMore = true; hasMore; ) {
    const { nodes, pageInfo }: Json = await read(cursor);
    found.splice(back ? 0 : found.length, 0, ...nodes);
    cursor = back ? pageInfo.startCursor : pageInfo.endCursor;
    hasMore = back ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
  }
  return found;
}
