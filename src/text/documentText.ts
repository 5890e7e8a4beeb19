/** The title and the content of a document. The content is plain or rich text. */
export interface DocumentText {
  title: string;
  content: string;
}
