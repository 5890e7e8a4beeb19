/** What a person reads of a document: its title and its content, plain or rich text. */
export interface DocumentText {
  title: string;
  content: string;
}
