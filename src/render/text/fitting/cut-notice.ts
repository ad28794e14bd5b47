import type { TextRules } from '../../../domain/message.ts'
import { ESCAPERS } from '../escape.ts'

/** The end of a text that was cut. */
export interface CutNotice {
  /** The last line, given how many bytes are missing. */
  notice(bytes: number): string
  /** Elements that stay open around the last line. */
  readonly keptClosers: RegExp
}

/** As long as any that a last line names, in bytes. */
export const MAX_MISSING_BYTES = 999_999_999

const NO_FRAME = /$/
/** The elements of an HTML document around its content. */
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
