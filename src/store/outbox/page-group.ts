import type { Page } from '../../domain/delivery/dispatch.ts'
import type { PayloadSlice } from '../journal/payloads.ts'
import type { StoreParts } from '../parts.ts'

const NO_CONTENT = Buffer.from('{}')

/** Opens the values of the group of a page's incident, as configured now, for triggers: the provider may group by them. */
export function openPageGroup({ db, now, payloads, decide, groupOf }: StoreParts) {
  const slice = db.query<PayloadSlice>('SELECT seq, content_start, content_bytes FROM incidents WHERE seq = ?')
  /** A page has no large payload. */
  function contentOf({ content, incident }: Page): Uint8Array {
    const stored = content === undefined ? slice.get(incident) : undefined
    return stored === undefined ? (content ?? NO_CONTENT) : payloads.of(stored)
  }
  return (page: Page): Page => {
    if (groupOf === undefined || page.signal !== 'trigger') return page
    const subject = { ...page, content: contentOf(page) }
    const { group } = decide(subject, undefined, now())
    const values = group && groupOf(subject, group)?.named()
    return values === undefined ? page : { ...page, group: values }
  }
}
