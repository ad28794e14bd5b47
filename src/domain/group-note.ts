import type { Status } from './incident.ts'
import type { SeverityLevel } from './severity.ts'

/** Most problems that the message of a group lists one by one. */
export const GROUP_PROBLEMS = 5

/**
 * Facts of a group at one destination, for lines below the words of an incident. All numbers count from the begin of the group; an
 * alert is an incident.
 */
export interface GroupNote {
  /** Number of its digest, as in its address. */
  readonly digest: number
  /** `over`: nothing of it fires, or it takes no more alerts. */
  readonly phase: 'open' | 'over'
  /** An earlier message with these numbers may have arrived. */
  readonly mayRepeat: boolean
  readonly alerts: number
  readonly problems: number
  /** Problems whose latest alert fires. */
  readonly firing: number
  /** Problems that no earlier message of the group told of. */
  readonly added: number
  /** The problem whose words the message has is over, and they say that it fires. */
  readonly ownResolved?: boolean
  /** Times of the first and the latest alert, epoch milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
  /** At most `GROUP_PROBLEMS`: those that fire first, then the loudest; without the one whose words the message has. */
  readonly shown: readonly GroupProblem[]
}

export interface GroupProblem {
  readonly title: string
  readonly service: string
  readonly level: SeverityLevel
  readonly status: Status
}
