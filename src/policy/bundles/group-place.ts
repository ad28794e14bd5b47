import type { Status } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'
import type { Priority } from '../decision.ts'
import type { News } from '../repeat.ts'

/** A group at a destination that is open, before an incident of it. */
interface GroupView {
  /** Loudest severity rank that the destination was told of, or will be. */
  readonly level: number
  /** With the incident it has more than one problem. */
  readonly isShared: boolean
  /** Another problem of it fires. */
  readonly othersFire: boolean
  /** It takes no more places: told ones wait, or it has too many problems. */
  readonly isFull: boolean
}

/** Facts of an incident that its place in a group follows from. */
interface GroupAlert {
  readonly status: Status
  readonly severity: string
  readonly priority: Priority
  /** Undefined: a repeat. */
  readonly news: News | undefined
}

/**
 * Placements of an incident of a group:
 *
 *     begins   it is told like any other, and opens the group
 *     single   it is told like any other
 *     louder   a message of its own, because it is louder than all that the group told
 *     ends     a message in the thread of the group, with its numbers: nothing of it fires any more
 *     fold     a place of the group
 *     rings    a place whose revision is a new message
 */
export type GroupPlacement = 'begins' | 'single' | 'louder' | 'ends' | 'fold' | 'rings'

/** Returns where an incident goes that no silence holds, at a destination without a storm. `group` undefined: none is open. */
export function placeInGroup(group: GroupView | undefined, alert: GroupAlert): GroupPlacement {
  const isFiring = alert.status === 'firing'
  if (group === undefined) return isFiring ? 'begins' : 'single'
  if (!group.isShared || group.isFull) return 'single'
  if (!isFiring) return group.othersFire ? 'fold' : 'ends'
  if (severityRank(alert.severity) < group.level) return 'louder'
  const rings = alert.priority === 'high' && alert.news !== undefined
  return rings ? 'rings' : 'fold'
}
