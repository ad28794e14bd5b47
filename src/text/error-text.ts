/** Returns the message of an Error, and the text of anything else that was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
