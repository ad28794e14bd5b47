import type { RehearsedEscalations } from '../../src/api/noise/rehearsal.ts'
import { createShown } from '../../src/policy/oncall/edge.ts'
import type { OncallRules } from '../../src/policy/oncall/escalation.ts'
import { DAY_MS, HOUR_MS } from '../../src/policy/oncall/settings.ts'
import type { Statements } from '../../src/store/engine/statement.ts'
import { askedIn, pagesIn, runsIn } from '../../src/store/oncall/rehearsed.ts'

/** The night of a person, in hours from midnight. */
const NIGHT = { from: 22, until: 7 }

/** Returns what escalations did in one run, and whom they asked about each problem. */
export function escalationsIn(
  db: Statements,
  { people }: OncallRules,
): { readonly counts: RehearsedEscalations; readonly asked: ReadonlyMap<number, readonly string[]> } {
  const times = Map.groupBy(pagesIn(db), ({ person }) => person)
  const counted = Array.from(people, ([person, { name, timeZone }]) => {
    const pages = times.get(person) ?? []
    const isNight = nightOf(timeZone)
    return { person, name, messages: pages.length, at_night: pages.filter(({ at }) => isNight(at)).length }
  })
  return { counts: { ...runsIn(db), people: counted }, asked: askedIn(db) }
}

function nightOf(timeZone: string): (instant: number) => boolean {
  const shown = createShown(timeZone)
  return (instant) => {
    const hour = (shown(instant) % DAY_MS) / HOUR_MS
    return hour >= NIGHT.from || hour < NIGHT.until
  }
}
