import type { EffectiveConfig } from '../../../src/api/config.ts'
import type { AdminRoute, PublicRoute } from '../../../src/http/contract.ts'
import { openapiRoute } from '../../../src/http/openapi/route.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { existingKey } from '../../../src/oncall/ack-key.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import type { Snapshot } from '../../../src/telemetry/snapshot.ts'
import { statsOf } from '../../../src/telemetry/stats.ts'
import type { AgentQueries } from '../../messages/agent-queries.ts'
import type { JournalQueries } from '../../messages/journal-queries.ts'
import type { Ask } from '../../messages/query.ts'
import type { SendQueries } from '../../messages/send-queries.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import { enabledChannels } from '../../wiring/boot.ts'
import type { Propose, SystemSettings } from '../../wiring/settings.ts'
import type { Rehearsals } from '../rehearsals.ts'
import type { TopicIntake } from '../topic/intake.ts'
import { ackAdminRoutes, ackRoutes } from './acknowledge.ts'
import { agentRoutes } from './agent.ts'
import { channelRoutes } from './channels.ts'
import { adminRoutes } from './incidents.ts'
import { digestRoutes } from './noise/digests.ts'
import { explainRoutes } from './noise/explain.ts'
import { heartbeatRoute } from './noise/heartbeats.ts'
import { policyOf } from './noise/policy.ts'
import { problemRoutes } from './noise/problems.ts'
import { rehearsalRoutes } from './noise/rehearsals.ts'
import { reportRoute } from './noise/report.ts'
import { ruleRoute } from './noise/rules.ts'
import { silenceRoutes } from './noise/silences.ts'

export interface ApiDeps {
  readonly askStorage: Ask<StorageQueries>
  readonly askJournal: Ask<JournalQueries>
  readonly askSenders: Ask<SendQueries>
  readonly askAgent: Ask<AgentQueries>
  readonly topic: TopicIntake
  readonly rehearsals: Rehearsals
  readonly propose: Propose
  readonly version: string
  observe(): Promise<Snapshot>
  /** The settings that run now. */
  settings(): SystemSettings
  /** The configuration as it was loaded last. */
  shown(): EffectiveConfig
  /** Warnings about changed keys that wait for a restart. */
  restartNotes(): readonly string[]
  /** Epoch milliseconds. */
  now(): number
}

/** All routes except the intake, health, metrics, tail and dashboard, which the front serves itself. */
export function apiRoutes({ askStorage, askJournal, askSenders, askAgent, topic, settings, ...deps }: ApiDeps): {
  readonly admin: readonly AdminRoute[]
  readonly publicRoutes: readonly PublicRoute[]
} {
  const { agent, storage } = settings()
  const channels = () => enabledChannels(settings())
  const noise = {
    askStorage,
    askSenders,
    settings,
    recognise,
    channels,
    policy: policyOf(settings),
    now: deps.now,
    observe: deps.observe,
  }
  return {
    admin: [
      ...adminRoutes({ askStorage, askJournal, askSenders, recognise, channels, now: deps.now }),
      ...digestRoutes(noise),
      ...problemRoutes(noise),
      ...explainRoutes(noise),
      ruleRoute(noise),
      ...silenceRoutes(noise),
      heartbeatRoute(noise),
      reportRoute(noise),
      ...rehearsalRoutes({ ...deps, settings }),
      ...channelRoutes({ askStorage, askSenders, settings, now: deps.now }),
      ...ackAdminRoutes({ askStorage }),
      read('/api/admin/templates', async () => ({
        templates: await askSenders({ kind: 'templates' }),
        samples: SAMPLES,
      })),
      read('/api/admin/stats', async () => statsOf(await deps.observe())),
      read('/api/admin/config', async () => effectiveConfig(deps)),
      read('/api/admin/topic', async () => topic.status),
      ...agentRoutes({ askAgent: agent.enable ? askAgent : undefined }),
    ],
    publicRoutes: [
      openapiRoute(deps.version),
      topic.route,
      ...ackRoutes({
        askStorage,
        key: storage.type === 'file' ? existingKey(storage.dataDir) : () => askSenders({ kind: 'ackKey' }),
        now: deps.now,
      }),
    ],
  }
}

const read = <T>(path: string, answer: () => Promise<T>): AdminRoute => ({
  method: 'GET',
  path,
  answer: async () => ({ status: 200, json: await answer() }),
})

/** The warnings of the loader, and those of the running system. */
function effectiveConfig({ shown, restartNotes }: Pick<ApiDeps, 'shown' | 'restartNotes'>): EffectiveConfig {
  const { config, origins, warnings } = shown()
  return { config, origins, warnings: [...warnings, ...restartNotes()] }
}
