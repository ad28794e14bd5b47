import { isUntold, type Tally } from './tally.ts'

/** Sums of a digest over its problems, so that a revision does not read them all. Plain data of bounded size. */
export interface Summary {
  /** By severity rank: its problems' incidents. */
  levels: LevelSum[]
  problems: number
  /** Problems whose latest incident fires. */
  stillFiring: number
  /** Arrival of the first and of the last incident, epoch milliseconds. */
  firstAt: number | null
  lastAt: number | null
  /** At most 64. */
  services: ServiceSum[]
  /** Problems and incidents of all other services. */
  others: Omit<ServiceSum, 'service'>
  /** At most 64 of the loudest problems that no message has told of: number, severity rank, places that were handed out before. */
  untold: [problem: number, level: number, hand: number][]
}

interface LevelSum {
  firing: number
  resolved: number
  singlyFiring: number
  singlyResolved: number
}

interface ServiceSum {
  readonly service: string
  problems: number
  alerts: number
}

const MAX_SERVICES = 64
const MAX_UNTOLD = 64

export const emptySummary = (): Summary => ({
  ...{ levels: [], problems: 0, stillFiring: 0, firstAt: null, lastAt: null },
  ...{ services: [], others: { problems: 0, alerts: 0 }, untold: [] },
})

interface Change {
  /** The problem before; undefined: it is new. */
  readonly disk: Tally | undefined
  readonly tally: Tally
  /** Places of the digest that are told. */
  readonly told: number
}

/** Changes the sums with a problem. */
export function summarize(summary: Summary, { disk, tally, told }: Change): void {
  if (disk !== undefined) add(summary, disk, -1)
  add(summary, tally, 1)
  if (tally.counted > 0) {
    summary.firstAt = Math.min(summary.firstAt ?? Infinity, tally.first_at)
    summary.lastAt = Math.max(summary.lastAt ?? -Infinity, tally.last_at)
  }
  if (!isUntold(tally, told) || (disk !== undefined && isUntold(disk, told))) return
  summary.untold.push([tally.problem, tally.level, tally.hand])
  if (summary.untold.length <= MAX_UNTOLD) return
  summary.untold = untoldIn(summary, told)
    .sort(([, a], [, b]) => a - b)
    .slice(0, MAX_UNTOLD)
}

/** Returns those of the untold problems that the last told revision did not cover. */
export const untoldIn = ({ untold }: Summary, told: number) => untold.filter(([, , hand]) => hand >= told)

function add(summary: Summary, tally: Tally, by: 1 | -1): void {
  if (tally.counted === 0) return
  summary.problems += by
  if (tally.ended === 0) summary.stillFiring += by
  const { level } = tally
  while (summary.levels.length <= level)
    summary.levels.push({ firing: 0, resolved: 0, singlyFiring: 0, singlyResolved: 0 })
  const sums = summary.levels[level] as LevelSum
  sums.firing += by * tally.firing
  sums.resolved += by * tally.resolved
  sums.singlyFiring += by * tally.singly_firing
  sums.singlyResolved += by * tally.singly_resolved
  const service = serviceIn(summary, tally.service)
  service.problems += by
  service.alerts += by * tally.counted
}

/** Returns the sums of a service; those of all others once 64 are known. */
function serviceIn(summary: Summary, service: string): Omit<ServiceSum, 'service'> {
  const known = summary.services.find((each) => each.service === service)
  if (known !== undefined) return known
  if (summary.services.length >= MAX_SERVICES) return summary.others
  const added = { service, problems: 0, alerts: 0 }
  summary.services.push(added)
  return added
}
