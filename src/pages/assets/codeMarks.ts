/** The strings and comments of code, which is what helps to read JSON, Python, JavaScript, GraphQL and commands. */
export const codeMarks = /("(?:\\.|[^"\\\n])*")|(^ *#.*$)/gm;
