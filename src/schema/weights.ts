// What a field costs besides the objects that it returns: about how many objects it reads. Decisions: "Query cost".

/** A text that may be as long as a document. */
export const longText = { complexity: 20 };
export const twoLongTexts = { complexity: 40 };

/** Everybody whom something concerns, who may be thousands. */
export const everybody = { complexity: 400 };
