import type { Covered, Page } from '../domain/page.ts'
import { severityRank } from '../domain/severity.ts'
import { GROUPING, type RepeatFacts } from './repeat.ts'

/** An incident, and the page of its problem at its destination of the provider before it. Times are epoch milliseconds. */
export interface PageInput {
  readonly alert: RepeatFacts
  readonly page: Page | undefined
  /** Until its page is due; undefined: none is asked for. */
  readonly waitMs: number | undefined
  readonly isSilenced: boolean
  /** It has a place in a digest at some destination. */
  readonly isFolded: boolean
  /** Its problem fired before it: a page of an earlier time stands for none. */
  readonly wasFiring: boolean
  /** It is no news of its problem. */
  readonly isRepeat: boolean
  readonly isFlapping: boolean
  /** It is a repeat that an acknowledgement of its problem covers. */
  readonly isAcknowledged: boolean
  readonly now: number
}

export type PageChoice = 'own' | 'join' | 'hold' | 'none'

/**
 * Decides whether an incident gets a timer of its own, joins a page that stands for it, or waits for the end of a silence (`hold`): the
 * first that applies; none: no page is asked for. A timer that runs is not held for an incident that a silence fits: it may be for a louder one.
 */
export function pageFor(input: PageInput): PageChoice {
  const { page, waitMs, isSilenced, isRepeat, isFlapping, isFolded, wasFiring, now } = input
  if (waitMs === undefined) return 'none'
  const timer = page?.timer?.state === 'armed' ? page.timer : undefined
  if (isSilenced && timer !== undefined) return 'join'
  if (isSilenced && !input.isAcknowledged) return 'hold'
  if (timer !== undefined && timer.dueAt <= now + waitMs && stands(timer, input)) return 'join'
  const stand = page?.stand
  if (stand?.phase === 'paging' && stands(stand, input)) return 'join'
  if (input.isAcknowledged) return 'join'
  const isOpen = stand?.phase === 'paged' || stand?.phase === 'acknowledged'
  if (((isFolded && wasFiring) || (isFlapping && isRepeat)) && isOpen && now < stand.until && stands(stand, input))
    return 'join'
  return 'own'
}

/** The alert is not louder, and has no known alert of a group that is missing. While its problem flaps, unknown ones are new. */
function stands({ level, members: known }: Covered, { alert, isFlapping }: PageInput): boolean {
  const { severity, members, sender } = alert
  if (severityRank(severity) < level) return false
  if (members === undefined) return !(isFlapping && GROUPING.has(sender))
  return known !== null && members.every((member) => known.includes(member))
}
