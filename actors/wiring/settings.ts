import type { BackendOptions } from '../../src/analysis/options.ts'
import type { AnswerSettings, People } from '../../src/answers/options.ts'
import type { ChannelSettings } from '../../src/channels/channel.ts'
import type { Lease } from '../../src/cluster/shared-lease.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { RetryPolicy } from '../../src/domain/delivery/retry.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { SharedProgress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { McpSettings } from '../../src/mcp/options.ts'
import type { Mode } from '../../src/mining/contract.ts'
import type { DetectorOptions, PrepareOptions, SourceOptions } from '../../src/mining/options.ts'
import type { GatewaySettings, ProviderSettings } from '../../src/oncall/options.ts'
import type { GroupSettings } from '../../src/policy/bundles/group.ts'
import type { PolicySettings } from '../../src/policy/decide.ts'
import type { HeartbeatSettings } from '../../src/policy/heartbeat.ts'
import type { OncallRules, PersonalAddresses } from '../../src/policy/oncall/escalation.ts'
import type { OncallSchedules } from '../../src/policy/oncall/settings.ts'
import type { SilenceSettings } from '../../src/policy/silences/settings.ts'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import type { BriefReplyRules } from '../../src/store/brief/reply.ts'
import type { RepeatRules } from '../../src/store/bundles/rules.ts'
import type { SloRules } from '../../src/store/noise/burn.ts'
import type { FlapRules } from '../../src/store/problems/flapping.ts'
import type { Level, LiveLog, LogSettings } from '../../src/telemetry/log.ts'
import type { Meters } from '../../src/telemetry/meters.ts'
import type { MainRoutes } from '../messages/front-main.ts'
import type { RemoteFrontSettings } from '../messages/front-queries.ts'
import type { Spawn } from './spawn.ts'

/**
 * Settings of the whole system, as a checked configuration yields them. Plain data and Maps, so that each thread can be
 * sent its part.
 */
export interface SystemSettings {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Base URL of the service for people, or '': messages and pages hold no links. */
  readonly publicHost: string
  /** '': no admin routes. */
  readonly gatewaySecret: string
  readonly http: {
    readonly maxBodyBytes: number
    readonly maxInflight: number
    readonly intakeToken: string
    readonly strictParameters: boolean
    /** Fronts on the port. */
    readonly threads: number
  }
  /** The doors in the shape of other programs' APIs. */
  readonly intake: {
    readonly alertmanager: {
      readonly enable: boolean
      readonly resolveTimeoutMs: number
      readonly startGraceMs: number
      readonly maxAlerts: number
      readonly maxBodyBytes: number
    }
    /** Keys by their names; empty: the door is off. */
    readonly pagerduty: { readonly routingKeys: ReadonlyMap<string, string> }
    readonly opsgenie: { readonly apiKeys: ReadonlyMap<string, string> }
    /** '': slugs have no address. */
    readonly pings: { readonly key: string }
  }
  readonly alert: {
    readonly debugBody: boolean
    readonly channels: { readonly [name in ChannelName]: ChannelSettings }
  }
  readonly delivery: DeliverySettings
  readonly templates: TemplateSettings
  readonly storage: StorageSettings
  /** This process among those that share a database. `address` is '' when the others cannot reach it. */
  readonly replica: { readonly name: string; readonly address: string }
  readonly oncall: OncallSettings
  /** Absent without escalations: then on-call is one wait, and the provider. */
  readonly oncallRules?: OncallRules
  readonly personal?: PersonalAddresses
  readonly oncallGateways: ReadonlyMap<string, GatewaySettings>
  /** Overrides by API; `maxMs`: length of the longest. */
  readonly oncallOverrides: { readonly api: boolean; readonly maxMs: number }
  /** Calendars of shifts. Another revision ends all addresses. */
  readonly oncallFeeds: { readonly enable: boolean; readonly revision: number }
  /** Empty: nobody is on call by a schedule. */
  readonly oncallSchedules: OncallSchedules
  readonly routes: PolicySettings['routes']
  readonly schedules: PolicySettings['schedules']
  readonly heartbeats: readonly HeartbeatSettings[]
  /** Undefined: no objective. */
  readonly slo: SloRules | undefined
  readonly noise: {
    readonly repeats: RepeatRules
    readonly flapping: FlapRules
    /** Absent: `noise.brief` is off. */
    readonly briefReplies?: BriefReplyRules
    /** Absent: only rules group. */
    readonly group?: GroupSettings
  }
  readonly silences: readonly SilenceSettings[]
  readonly people: People
  readonly answers: AnswerSettings
  /** Clients of the Model Context Protocol. */
  readonly mcp: McpSettings
  /** The history of problems; `openings`: times of firing that are kept. */
  readonly brief: { readonly enable: boolean; readonly openings: number }
  readonly topicsvc: TopicSettings
  readonly agent: AgentSettings
  readonly metrics: {
    readonly enable: boolean
    /** 0: the main port. */
    readonly port: number
  }
  readonly log: { readonly level: Level }
}

export type StorageSettings = FileStorage | PostgresStorage

interface StorageLimits {
  readonly dataDir: string
  readonly maxIncidents: number
  readonly maxBacklog: number
}

interface FileStorage extends StorageLimits {
  readonly type: 'file'
}

/** `dataDir` then holds only what a replica can make again. */
export interface PostgresStorage extends StorageLimits {
  readonly type: 'postgres'
  readonly postgres: PostgresSettings
}

/**
 * Returns the configuration in force with other sections of routes, schedules, silences and noise, which stand in `text`
 * as YAML. `file` stands for a file in errors and warnings. Throws config_invalid.
 */
export type Propose = (sections: { readonly file: string; readonly text: string }) => {
  readonly config: SystemSettings
  readonly warnings: readonly string[]
}

interface DeliverySettings {
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly circuit: { readonly failures: number; readonly openForMs: number }
  /** Time for which a circuit is open before the channel's fallback counts. */
  readonly failoverAfterMs: number
}

export interface TopicSettings {
  readonly enable: boolean
  readonly topicArn: string
  /** Public address of this service, without the path. */
  readonly endpoint: string
  /** Path of the topic's deliveries on this service, with an optional query. */
  readonly path: string
  readonly rawDelivery: boolean
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface TemplateSettings {
  readonly deadlineMs: number
  readonly envAllow: readonly string[]
  readonly watch: boolean
  readonly threads: number
}

export interface OncallSettings extends ProviderSettings {
  readonly enable: boolean
  /** 0: pages at once. */
  readonly waitMs: number
}

interface AgentSettings extends DetectorOptions, PrepareOptions {
  readonly enable: boolean
  readonly mode: Mode
  readonly pollIntervalMs: number
  readonly catalog: DetectorOptions['catalog'] & { readonly persistIntervalMs: number }
  readonly sources: readonly (SourceOptions & { readonly enable: boolean })[]
  readonly ai: BackendOptions & {
    readonly enable: boolean
    readonly maxCallsPerHour: number
    readonly cacheTtlMs: number
  }
}

/** Memory that all threads share. */
export interface SharedMemory {
  readonly meters: SharedArrayBuffer
  readonly progress: SharedArrayBuffer
  /** For `SharedLease`; absent when the process shares its storage with no other. */
  readonly cluster?: SharedArrayBuffer
}

/** A front beside main's; `index` counts main's as 0. */
export interface FrontBoot {
  readonly thread: 'front'
  readonly log: LogSettings
  readonly index: number
  readonly maxInflight: number
  /** Infinity: there is no such time. */
  readonly answerWithinMs: number
  readonly settings: RemoteFrontSettings
  readonly routes: MainRoutes
  /** Shared memory of the live tail's tickets: one for all fronts. Absent: main is asked. */
  readonly tickets?: SharedArrayBuffer
  /** Shared memory of the counts of wrong secrets: one for all fronts. */
  readonly throttle: SharedArrayBuffer
}

/** Passed to the body of every worker thread. */
export interface ThreadDeps {
  readonly spawn: Spawn
  /** Of the database when replicas share one. */
  readonly clock: Clock
  /** `term` is that of the thread's start. */
  readonly lease: Lease
  readonly log: LiveLog
  readonly publisher: EventPublisher
  /** The thread writes its own part of these; main reads all. */
  readonly meters: Meters
  /** Progress of journal and storage. */
  readonly progress: SharedProgress
}
