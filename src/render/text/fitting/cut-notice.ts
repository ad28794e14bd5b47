import type { TextRules } from '../../../domain/message.ts'
import { ESCAPERS } from '../escape.ts'

/** The last line of a text that was cut. */
export interface CutNotice {
  /** Returns the line, given the number of missing bytes. */
  notice(bytes: number): string
  /** Matches the closing tags that follow the line instead of preceding it. */
  readonly keptClosers: RegExp
}

/** The missing size with the longest text; used to reserve room for the line. */
export const MAX_MISSING_BYTES = 999_999_999

const NO_FRAME = /$/
/** Closing tags of an HTML document. */
const DOCUMENT = /(?:<\/body>)?(?:<\/html>)?$/

export function cutNoticeOf({ escaping, limit }: TextRules, link: string): CutNotice {
  const where = escaping === 'html' || escaping === 'chat' ? ESCAPERS.chat.escape(link) : link
  const notice = (bytes: number) => `… cut, ${size(bytes)} more: ${where}`
  const mail = escaping === 'html' && limit.unit !== 'visible'
  return mail
    ? { notice: (bytes) => `<p>${notice(bytes)}</p>`, keptClosers: DOCUMENT }
    : { notice, keptClosers: NO_FRAME }
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
