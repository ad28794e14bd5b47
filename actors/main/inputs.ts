import type { Replica } from '../../src/cluster/contract.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import { LoginThrottle } from '../../src/http/auth.ts'
import type { Submit } from '../../src/http/contract.ts'
import { type Clock, sinceBootMs } from '../../src/kernel/clock.ts'
import { existingKey } from '../../src/oncall/ack-key.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Meters } from '../../src/telemetry/meters.ts'
import { openParameterWarnings } from '../wiring/parameter-warnings.ts'
import type { SystemSettings } from '../wiring/settings.ts'
import { openAnswers } from './answers/answers.ts'
import { openMcp } from './api/mcp.ts'
import { openBriefCounts } from './api/noise/briefs.ts'
import type { createAsks } from './ask.ts'
import { openChanges } from './changes.ts'
import type { Member } from './cluster/member.ts'
import type { Roles } from './cluster/roles.ts'
import { createDoors } from './doors/index.ts'
import { createHeartbeats } from './heartbeats.ts'
import { createPings } from './pings.ts'
import { createTopicIntake } from './topic/intake.ts'

interface InputDeps extends ReturnType<typeof createAsks> {
  readonly submit: Submit
  readonly clock: Clock
  readonly log: Log
  readonly meters: Meters['ingest']
  /** Path of the topic's route, which cannot change. */
  readonly topicPath: string
  /** The settings that run now. */
  settings(): SystemSettings
  /** False on a replica that does not lead. */
  leads(): boolean
  /** False while another replica has the lease. */
  hasLease(): boolean
  /** Calls `changed` after each change of the leader. */
  watch(changed: () => void): void
  /** All that share the storage; empty: no other can. */
  replicas(): readonly Pick<Replica, 'name' | 'address'>[]
}

/** Returns what the inputs know of the other replicas; both are absent when no other process shares the storage. */
export const inputsOf = (member: Member | undefined, roles: Roles | undefined) => ({
  leads: () => roles?.runs('store') ?? true,
  hasLease: () => member === undefined || member.term !== undefined,
  watch: (changed: () => void) => member?.watch(changed),
  replicas: () => member?.replicas() ?? [],
})

/** Creates the ways in beside `POST /api/incidents`, and the reports that all fronts give of the intake. */
export function createInputs({ meters, topicPath, ...deps }: InputDeps) {
  const { submit, clock, log, settings, leads, askSenders } = deps
  const { storage } = settings()
  const ackKey = storage.type === 'file' ? existingKey(storage.dataDir) : () => askSenders({ kind: 'ackKey' })
  const throttle = new LoginThrottle(sinceBootMs)
  const refused = (code: ErrorCode) => meters.refused[code].add()
  const warned = openParameterWarnings({ log, clock, count: () => meters.warned.add() })
  const heartbeats = createHeartbeats({ ...deps, heartbeats: () => (leads() ? settings().heartbeats : []) })
  const pings = createPings({ ...deps, heartbeats: () => settings().heartbeats, recorded: heartbeats.look })
  const changes = openChanges({ ...deps, throttle })
  const doors = createDoors({ ...deps, throttle, pings, changes })
  const [briefs, mcp] = [openBriefCounts(), openMcp({ settings, clock, log })]
  return {
    throttle,
    refused,
    warned,
    heartbeats,
    pings,
    doors,
    changes,
    briefs,
    ackKey,
    answers: openAnswers({ ...deps, leads: deps.hasLease, ackKey, doors }),
    mcp,
    /** For the metrics. */
    figures: {
      mcp: () => mcp.figures(),
      brief: () => ({ ...briefs.figures(), changes: changes.outcomes }),
    },
    topic: createTopicIntake({ path: topicPath, submit, clock, log, refused, warned }),
  }
}
