// Pothos loads a relation once for two fields only if both order it alike: so there is one spelling of each order.
export const oldestFirst = { orderBy: [{ insertedAt: 'asc' as const }, { id: 'asc' as const }] };
export const newestFirst = { orderBy: [{ insertedAt: 'desc' as const }, { id: 'desc' as const }] };

/** The arguments that select only the newest. */
export const latest = { ...newestFirst, take: 1 };
