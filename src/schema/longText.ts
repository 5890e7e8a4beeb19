/** For a field that may be as long as a document: it costs as much as this many objects. */
export const longText = { complexity: 20 };
