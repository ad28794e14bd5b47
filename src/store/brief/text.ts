import { cut } from '../../text/cut.ts'

/** Cuts a text of others to the 280 characters that a brief shows. */
export const cutQuote = (text: string): string => cut(text, 280)
