import type { EffectiveConfig } from '../../../src/api/config.ts'
import { openapiRoute } from '../../../src/http/openapi/route.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { statsOf } from '../../../src/telemetry/stats.ts'
import type { AgentQueries } from '../../messages/agent-queries.ts'
import type { Ask } from '../../messages/query.ts'
import { enabledChannels } from '../../wiring/boot.ts'
import type { Propose } from '../../wiring/settings.ts'
import type { Answers } from '../answers/answers.ts'
import type { Changes } from '../changes.ts'
import type { Doors } from '../doors/index.ts'
import type { MainServices } from '../fronts/request-server.ts'
import type { Rehearsals } from '../rehearsals.ts'
import type { TopicIntake } from '../topic/intake.ts'
import { ackAdminRoutes, ackRoutes } from './acknowledge.ts'
import { agentRoutes } from './agent.ts'
import { channelRoutes } from './channels.ts'
import { gatewayReportRoute } from './gateway-reports.ts'
import { adminRoutes } from './incidents.ts'
import type { Mcp } from './mcp.ts'
import { type BriefCounts, briefRoutes } from './noise/briefs.ts'
import { digestRoutes } from './noise/digests.ts'
import { explainRoutes } from './noise/explain.ts'
import { heartbeatRoutes } from './noise/heartbeats.ts'
import { policyOf } from './noise/policy.ts'
import { problemRoutes } from './noise/problems.ts'
import { rehearsalRoutes } from './noise/rehearsals.ts'
import { reportRoute } from './noise/report.ts'
import { ruleRoute } from './noise/rules.ts'
import { silenceRoutes } from './noise/silences.ts'
import { feedRoutes, oncallRoutes } from './oncall/routes.ts'
import { personalLinkRoutes } from './personal-links.ts'
import { type RouteDeps, route } from './route.ts'

export interface ApiDeps extends Omit<RouteDeps, 'policy' | 'channels' | 'recognise'> {
  readonly askAgent: Ask<AgentQueries>
  readonly topic: TopicIntake
  readonly doors: Doors
  readonly answers: Pick<Answers, 'routes' | 'receivers'>
  /** Returns the key that signs links; undefined: none exists yet, so no link is valid. */
  ackKey(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  readonly mcp: Mcp
  readonly briefs: BriefCounts
  readonly changes: Pick<Changes, 'route'>
  readonly rehearsals: Rehearsals
  readonly propose: Propose
  readonly version: string
  /** The configuration as it was loaded last. */
  shown(): EffectiveConfig
  /** Warnings about changed keys that wait for a restart. */
  restartNotes(): readonly string[]
}

/** All routes except the intake, health, metrics, tail and dashboard, which the front serves itself. */
export function apiRoutes(api: ApiDeps): Pick<MainServices, 'admin' | 'publicRoutes'> {
  const { askStorage, askSenders, askAgent, topic, doors, answers, settings, observe, now } = api
  const { agent } = settings()
  const deps = { ...api, recognise, channels: () => enabledChannels(settings()), policy: policyOf(settings) }
  const { receivers } = answers
  const admin = [
    ...adminRoutes(deps),
    ...digestRoutes(deps),
    ...problemRoutes(deps),
    ...briefRoutes({ ...deps, askAgent: agent.enable ? askAgent : undefined }),
    ...explainRoutes(deps),
    ruleRoute(deps),
    ...silenceRoutes(deps),
    ...oncallRoutes(deps),
    ...heartbeatRoutes(deps),
    reportRoute(deps),
    ...rehearsalRoutes(deps),
    ...channelRoutes({ ...deps, receivers }),
    ...ackAdminRoutes(deps),
    route('GET', '/api/admin/templates', async () => ({
      templates: await askSenders({ kind: 'templates' }),
      samples: SAMPLES,
    })),
    route('GET', '/api/admin/stats', async () => statsOf(await observe())),
    route('GET', '/api/admin/config', () => effectiveConfig(api)),
    route('GET', '/api/admin/topic', () => topic.status),
    route('GET', '/api/admin/doors', () => doors.status()),
    ...agentRoutes(agent.enable ? askAgent : undefined),
  ]
  const mcp = api.mcp.routes({ admin, askStorage, personResolved: doors.personResolved })
  return {
    admin: [...admin, mcp.admin],
    publicRoutes: [
      openapiRoute(api.version),
      topic.route,
      api.changes.route,
      ...doors.routes,
      ...mcp.publicRoutes,
      ...answers.routes,
      ...feedRoutes(deps),
      ...ackRoutes({ askStorage, key: api.ackKey, now }),
      ...personalLinkRoutes({ askStorage, key: api.ackKey, now }),
      gatewayReportRoute({ askStorage, settings, now }),
    ],
  }
}

/** The warnings of the loader, and those of the running system. */
function effectiveConfig({ shown, restartNotes }: Pick<ApiDeps, 'shown' | 'restartNotes'>): EffectiveConfig {
  const { config, origins, warnings } = shown()
  return { config, origins, warnings: [...warnings, ...restartNotes()] }
}
