/** Whether a person owns the company, and so sees and manages its webhooks. */
export const isOwner = (person: { isOwner: boolean }): boolean => person.isOwner;
