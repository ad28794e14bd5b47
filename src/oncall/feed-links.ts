import { createHmac } from 'node:crypto'
import { equalInConstantTime } from './ack-links.ts'

export type FeedKind = 'person' | 'schedule'

interface Feed {
  readonly kind: FeedKind
  /** Key of a person, or name of a schedule: without a dot. */
  readonly name: string
  /** `oncall.feeds.revision`: another one makes other addresses, and ends these. */
  readonly revision: number
}

/** Returns path and query of a calendar: a bearer secret. The key is that of links. */
export const feedPath = (key: Uint8Array, feed: Feed): string =>
  `/api/oncall/${feed.kind}/${feed.name}.ics?sig=${signatureOf(key, feed)}`

/** Tells whether the query has the signature of the calendar, once. */
export function isSigned(key: Uint8Array, feed: Feed, query: string): boolean {
  const [sig = '', ...more] = new URLSearchParams(query).getAll('sig')
  return more.length === 0 && equalInConstantTime(sig, signatureOf(key, feed))
}

/** The purpose stands first, so that no signature of a link is one of a calendar. */
const signatureOf = (key: Uint8Array, { kind, name, revision }: Feed) =>
  createHmac('sha256', key).update(`feed.${kind}.${name}.${revision}`).digest('hex')
