import type { GroupOf } from '../../src/policy/bundles/group.ts'
import type { PolicySettings } from '../../src/policy/decide.ts'
import type { Decide } from '../../src/policy/decision.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'
import type { HeartbeatSettings } from '../../src/policy/heartbeat.ts'
import type { cronStarts } from '../../src/policy/schedule.ts'
import type { CompileSilence } from '../../src/policy/silences/settings.ts'
import type { OpenBriefReplies } from '../../src/store/brief/reply.ts'
import { type HeartbeatRule, type HeartbeatRules, NO_HEARTBEATS } from '../../src/store/heartbeats/rules.ts'
import type { EscalationPart } from '../../src/store/oncall/part.ts'
import type { OpenSchedules } from '../../src/store/oncall/schedules.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'

/** Opens `decide`. The code of rules is loaded only when there are some: most installations have none. */
export async function openPolicy(settings: PolicySettings): Promise<Decide> {
  if (settings.routes.length === 0) return openDefaultDecide(settings)
  const [{ openDecide }, { labelsOf }] = await Promise.all([
    import('../../src/policy/decide.ts'),
    import('../../src/intake/recognise.ts'),
  ])
  return openDecide(settings, labelsOf)
}

/** Opens the groups of incidents; undefined: nothing is grouped, and no payload is read for it. */
export async function openGrouping({ routes, group }: PolicySettings): Promise<GroupOf | undefined> {
  if (group === undefined && routes.every((rule) => (rule.group ?? 'none') === 'none')) return undefined
  const [{ openGroupOf }, { labelsOf }] = await Promise.all([
    import('../../src/policy/bundles/group.ts'),
    import('../../src/intake/recognise.ts'),
  ])
  return openGroupOf(labelsOf)
}

/** Opens the rules of heartbeats, whose code is loaded only when there are some. */
export async function openHeartbeatRules(settings: readonly HeartbeatSettings[]): Promise<HeartbeatRules> {
  if (settings.length === 0) return NO_HEARTBEATS
  const [{ openSignsOfLife }, { cronStarts }, { labelsOf }] = await Promise.all([
    import('../../src/policy/heartbeat.ts'),
    import('../../src/policy/schedule.ts'),
    import('../../src/intake/recognise.ts'),
  ])
  return {
    of: new Map(settings.map((each) => [each.name, ruleOf(each, cronStarts)])),
    listens: settings.some(({ conditions }) => conditions.length > 0),
    signsOfLife: openSignsOfLife(settings, labelsOf),
  }
}

function ruleOf({ everyMs, graceMs, maxRunMs, cron }: HeartbeatSettings, startsOf: typeof cronStarts): HeartbeatRule {
  const silenceMs = everyMs === undefined ? Infinity : everyMs + graceMs
  return {
    silenceMs,
    graceMs,
    maxRunMs,
    ...(cron && { times: startsOf(cron.times, cron.timeZone), cron: `${cron.times} ${cron.timeZone}` }),
  }
}

/** Loads the compiler of silences: regular expressions and time zones. Most installations have none. */
export async function openSilencing(): Promise<CompileSilence> {
  const [{ compileSilence }, { labelsOf }, { firingAlerts }] = await Promise.all([
    import('../../src/policy/silences/silence.ts'),
    import('../../src/intake/recognise.ts'),
    import('../../src/intake/recognise.ts'),
  ])
  return (settings) => compileSilence(settings, { labelsOf, alertsOf: firingAlerts })
}

/** Loads the schedules of on-call: rotations and time zones. Most installations have none. */
export async function loadSchedules(): Promise<OpenSchedules> {
  return (await import('../../src/store/oncall/schedules.ts')).openSchedules
}

/** Loads what replies with the brief in threads, as `loadSchedules`. */
export async function loadBriefReplies(): Promise<OpenBriefReplies> {
  return (await import('../../src/store/brief/reply.ts')).openBriefReplies
}

/** Loads what runs escalations, as `loadSchedules`. */
export async function loadEscalationPart(): Promise<EscalationPart> {
  return (await import('../../src/store/oncall/part.ts')).escalationPart
}

/** Loads what keeps the history of problems, as `loadSchedules`. */
export async function loadBrief(): Promise<Pick<NonNullable<StoreOptions['brief']>, 'part' | 'labelsOf'>> {
  const [{ briefPart }, { labelsOf }] = await Promise.all([
    import('../../src/store/brief/part.ts'),
    import('../../src/intake/recognise.ts'),
  ])
  return { part: briefPart, labelsOf }
}
