/** Returns the message of an Error, and the text of anything else that was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Like `errorText`, with the stack of an Error: for logs of bugs. */
export const errorStack = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
