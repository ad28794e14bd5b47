import type { RouteRecord, RouteTable } from '../../../../src/api/noise/route.ts'
import { destinationName } from '../../../../src/domain/delivery/delivery.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import type { RuleHits } from '../../../../src/store/ports/noise.ts'
import { isoTimeOrNull } from '../../../../src/text/iso-time.ts'
import { type RouteDeps, route } from '../route.ts'
import type { Policy } from './policy.ts'

type RuleRouteDeps = Pick<RouteDeps, 'askStorage' | 'policy' | 'channels' | 'now'>

/** `GET /api/admin/routes`: the rules in their order, with their hits. */
export function ruleRoute({ askStorage, policy, channels, now }: RuleRouteDeps): AdminRoute {
  return route<RouteTable>('GET', '/api/admin/routes', async () => {
    const [hits, compiled] = await Promise.all([askStorage({ kind: 'routeHits' }), policy()])
    const state = { hits: new Map(hits.rules.map((each) => [each.name, each])), active: compiled.active(now()) }
    const unmatched = { to: channels().map(({ name }) => name), hits: hits.unmatched }
    return { routes: compiled.rules.map((rule) => routeRecord(rule, state)), unmatched }
  })
}

interface RuleState {
  readonly hits: ReadonlyMap<string, RuleHits>
  /** Names of the schedules that are active now. */
  readonly active: ReadonlySet<string>
}

const MINUTE_MS = 60_000

function routeRecord(
  { settings, conditions, neverReachedBehind }: Policy['rules'][number],
  state: RuleState,
): RouteRecord {
  const { name, where, during, outside, to, oncall, priority } = settings
  const { hits, active } = state
  const own = hits.get(name)
  return {
    name,
    line: where === '' ? null : where,
    match: conditions,
    during: during === undefined && outside === undefined ? null : scheduleText(during, outside),
    active: (during === undefined || active.has(during)) && (outside === undefined || !active.has(outside)),
    to: to?.map(destinationName) ?? null,
    oncall:
      Object.keys(oncall ?? {}).length === 0
        ? null
        : {
            enable: oncall?.enable ?? null,
            wait_minutes: oncall?.waitMs === undefined ? null : oncall.waitMs / MINUTE_MS,
            routing_key: oncall?.target ?? null,
            ...(oncall?.escalation !== undefined && { escalation: oncall.escalation }),
          },
    priority: priority ?? null,
    continue: settings.continue,
    hits: own?.hits ?? 0,
    last_hit_at: isoTimeOrNull(own?.lastAt),
    never_reached_behind: neverReachedBehind ?? null,
  }
}

const scheduleText = (during: string | undefined, outside: string | undefined) =>
  [during ?? '', outside === undefined ? '' : `outside ${outside}`].filter((part) => part !== '').join(', ')
