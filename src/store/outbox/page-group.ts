import type { Page } from '../../domain/dispatch.ts'
import type { Decide } from '../../policy/decision.ts'
import type { GroupOf } from '../../policy/group.ts'

interface PageGroupDeps {
  readonly decide: Decide
  /** Undefined: nothing is grouped. */
  readonly groupOf: GroupOf | undefined
  readonly now: () => number
}

const NO_CONTENT = Buffer.from('{}')

/** Opens the values of the group of a page's incident, as configured now, for triggers: the provider may group by them. */
export const openPageGroup =
  ({ decide, groupOf, now }: PageGroupDeps) =>
  (page: Page): Page => {
    if (groupOf === undefined || page.signal !== 'trigger') return page
    const subject = { ...page, content: page.content ?? NO_CONTENT }
    const { group } = decide(subject, undefined, now())
    const values = group && groupOf(subject, group)?.named()
    return values === undefined ? page : { ...page, group: values }
  }
