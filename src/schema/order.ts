// Pothos loads a relation once for two fields only if both sort it in the same way, so each order is written once.
export const oldestFirst = { orderBy: [{ insertedAt: 'asc' as const }, { id: 'asc' as const }] };
export const newestFirst = { orderBy: [{ insertedAt: 'desc' as const }, { id: 'desc' as const }] };
/** As people have arranged them. */
export const inOrder = { orderBy: [{ index: 'asc' as const }, { id: 'asc' as const }] };

/** The arguments that select only the newest. */
export const latest = { ...newestFirst, take: 1 };
