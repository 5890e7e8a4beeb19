/** A file by its path from `src`, or once built, from `dist`, where every module is bundled into a file at the top. */
export const fileUrl = (path: string) => new URL(path, import.meta.url);
