import { policySettings } from '../../../wiring/boot.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'
import { perSettings } from '../../doors/door.ts'

/** The routes that run now, compiled. */
export type Policy = Awaited<ReturnType<typeof compile>>

/** Returns a function that compiles the routes of the settings, again only after a reload. */
export const policyOf = (settings: () => SystemSettings): (() => Promise<Policy>) => perSettings(settings, compile)

/** Loads the compiler at the first use: it brings regular expressions and time zones. */
async function compile(settings: SystemSettings) {
  const [{ openExplain }, { openGroupOf }, { neverReached }, { conditionsText }, { Schedules }, { labelsOf }] =
    await Promise.all([
      import('../../../../src/policy/explain.ts'),
      import('../../../../src/policy/bundles/group.ts'),
      import('../../../../src/policy/subsumption.ts'),
      import('../../../../src/policy/describe.ts'),
      import('../../../../src/policy/schedule.ts'),
      import('../../../../src/intake/recognise.ts'),
    ])
  const own = policySettings(settings)
  const schedules = new Schedules(own.schedules)
  const unreached = new Map(
    neverReached(own.routes).map(({ rule, by }) => [rule.name, by.map(({ name }) => name).join(' and ')]),
  )
  return {
    explain: openExplain(own, labelsOf),
    groupOf: openGroupOf(labelsOf),
    rules: own.routes.map((route) => {
      const { during, outside, ...always } = route
      return {
        settings: route,
        /** In words, without schedules. */
        conditions: conditionsText(always),
        /** Names of the earlier rules that take every incident of it; undefined: none certainly do. */
        neverReachedBehind: unreached.get(route.name),
      }
    }),
    /** Returns the names of the schedules that are active at a time in epoch milliseconds. */
    active: (now: number) => schedules.active(now),
  }
}
