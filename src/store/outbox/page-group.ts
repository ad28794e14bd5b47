import type { Page } from '../../domain/delivery/dispatch.ts'
import type { GroupOf } from '../../policy/bundles/group.ts'
import type { Decide } from '../../policy/decision.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'

interface PageGroupDeps {
  readonly payloads: Pick<Payloads, 'of'>
  readonly decide: Decide
  /** Undefined: nothing is grouped. */
  readonly groupOf: GroupOf | undefined
}

const NO_CONTENT = Buffer.from('{}')

/** Opens the values of the group of a page's incident, as configured now, for triggers: the provider may group by them. */
export function openPageGroup(
  { db, now }: Pick<StoreContext, 'db' | 'now'>,
  { decide, groupOf, payloads }: PageGroupDeps,
) {
  const slice = query<PayloadSlice>(db, 'SELECT seq, content_start, content_bytes FROM incidents WHERE seq = ?')
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
