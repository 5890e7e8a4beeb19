// What a field costs besides the objects that it returns: about how many objects it reads. Decisions: "Query cost".

/** A text that may be as long as a document. */
export const longText = { complexity: 20 };
export const twoLongTexts = { complexity: 40 };

/** Everybody whom something concerns, who may be thousands. */
export const everybody = { complexity: 2000 };

/** The unread notifications about something, which nobody may have read for years. */
export const allUnread = { complexity: 400 };

/** The events that a page looks at to find those that the caller can see. */
export const manyEvents = { complexity: 100 };

/** How many items a whole list has. */
export const wholeList = { complexity: 100 };

/** How much is in a folder. */
export const wholeFolder = { complexity: 20 };

/** The folders above something, which may be a hundred. */
export const manyFolders = { complexity: 20 };

/** A text that is looked for in every name. As an extension of an argument it counts only where that is given. */
export const everyName = { complexity: 250 };
