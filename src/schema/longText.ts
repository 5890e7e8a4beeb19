/** For a field that reads a text which may be as long as a document: it costs as much as this many objects. */
export const longText = { complexity: 20 };
export const twoLongTexts = { complexity: 40 };
