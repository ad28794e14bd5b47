import type { SilenceRecord } from '../../../api/noise/silence.ts'
import { exactValue } from '../../../policy/matcher.ts'
import type { ConditionSettings } from '../../../policy/route.ts'
import type { ScheduleSettings } from '../../../policy/schedule.ts'
import { durationText } from '../../../text/duration.ts'

/** Returns conditions by field. Several negated ones on one field are one; of others on one field the last is shown. */
export function matchOf(conditions: readonly ConditionSettings[]): SilenceRecord['match'] {
  const found = new Map<string, readonly string[]>()
  for (const { field, values: given, exact } of conditions) {
    const values = exact ? given.map(exactValue) : given
    const earlier = found.get(field) ?? []
    const isOne = [...earlier, ...values].every((value) => value.startsWith('!'))
    found.set(field, isOne ? [...earlier, ...values] : values)
  }
  return Object.fromEntries(
    Array.from(found, ([field, values]) => [field, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** Returns a schedule as a configuration says it. */
export function scheduleOf(schedule: ScheduleSettings): SilenceRecord['schedule'] {
  return schedule.map(({ cron, rrule, start, forMs, timeZone }) => ({
    ...(cron === undefined ? undefined : { cron }),
    ...(rrule === undefined ? undefined : { rrule }),
    ...(start === undefined ? undefined : { start }),
    for: durationText(forMs),
    time_zone: timeZone,
  }))
}
