import type { BackendOptions } from '../../src/analysis/load-backend.ts'
import type { Rate } from '../../src/channels/channel.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { OncallPolicy } from '../../src/domain/oncall.ts'
import type { RetryPolicy } from '../../src/domain/retry.ts'
import type { CatalogOptions, DetectorOptions, Mode } from '../../src/mining/contract.ts'
import type { PrepareOptions } from '../../src/mining/input/line-pipeline.ts'
import type { SourceOptions } from '../../src/mining/sources/index.ts'
import type { ProviderSettings } from '../../src/oncall/index.ts'
import type { TemplateSpec } from '../../src/render/templates/load.ts'
import type { Level, LiveLog, LogSettings } from '../../src/telemetry/log.ts'
import type { Meters } from '../../src/telemetry/meters.ts'
import type { MainRoutes } from '../messages/front-main.ts'
import type { RemoteFrontSettings } from '../messages/front-queries.ts'
import type { Spawn } from './spawn.ts'

/**
 * What the system is told; a typed configuration is one. Plain data and Maps, so that any thread can be given its part.
 */
export interface SystemSettings {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Base address people reach the service at, or ''. */
  readonly publicHost: string
  /** '': no admin routes. */
  readonly gatewaySecret: string
  readonly http: {
    readonly maxBodyBytes: number
    readonly maxInflight: number
    readonly intakeToken: string
    /** Fronts on the port. */
    readonly threads: number
  }
  readonly alert: {
    readonly debugBody: boolean
    readonly channels: { readonly [name in ChannelName]: ChannelSettings }
  }
  readonly delivery: DeliverySettings
  readonly templates: TemplateSettings
  readonly storage: { readonly dataDir: string; readonly maxIncidents: number; readonly maxBacklog: number }
  readonly oncall: OncallSettings
  readonly topicsvc: TopicSettings
  readonly agent: AgentSettings
  readonly metrics: {
    readonly enable: boolean
    /** 0: the main port. */
    readonly port: number
  }
  readonly log: { readonly level: Level }
}

export interface ChannelSettings {
  readonly name: ChannelName
  readonly enable: boolean
  readonly templatePath: string
  readonly concurrency: number
  readonly rate: Rate
  readonly mailbox: number
  /** The kind's own, as its `options` shape gives them. */
  readonly options: unknown
}

interface DeliverySettings {
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly circuit: { readonly failures: number; readonly openForMs: number }
}

export interface TopicSettings {
  readonly enable: boolean
  readonly topicArn: string
  /** Public address of this service, without the path. */
  readonly endpoint: string
  /** Where the topic delivers; may carry a query. */
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
  readonly catalog: CatalogOptions & { readonly persistIntervalMs: number }
  readonly sources: readonly (SourceOptions & { readonly enable: boolean })[]
  readonly ai: BackendOptions & {
    readonly enable: boolean
    readonly maxCallsPerHour: number
    readonly cacheTtlMs: number
  }
}

/** What each worker thread is started with. */
export type Boot = StoreBoot | SendBoot | AgentBoot | FrontBoot

/** A Boot, and where the thread counts what it does. */
export type BootWithMeters = Boot & { readonly meters: SharedArrayBuffer }

export interface StoreBoot {
  readonly thread: 'store'
  readonly log: LogSettings
  readonly storage: SystemSettings['storage']
  /** The threads that accept incidents. A `Commit` names its front by the index in this list. */
  readonly fronts: readonly string[]
  readonly channels: readonly { readonly name: ChannelName; readonly mailbox: number; readonly threads: boolean }[]
  /** Absent: nobody can be paged. */
  readonly oncall?: OncallPolicy
}

export interface SendBoot {
  readonly thread: 'send'
  readonly log: LogSettings
  readonly channels: readonly ChannelSettings[]
  /** Of the channels that are not enabled, to be tried all the same. */
  readonly disabledTemplates: readonly TemplateSpec[]
  readonly delivery: DeliverySettings
  readonly templates: TemplateSettings
  readonly publicHost: string
  /** Absent: nobody can be paged. */
  readonly oncall?: OncallSettings
  /** Where the key of the acknowledge links is. */
  readonly dataDir: string
}

export interface AgentBoot {
  readonly thread: 'agent'
  readonly log: LogSettings
  readonly agent: AgentSettings
  readonly dataDir: string
}

/** A front beside main's; `index` counts main's as 0. */
export interface FrontBoot {
  readonly thread: 'front'
  readonly log: LogSettings
  readonly index: number
  readonly maxInflight: number
  readonly settings: RemoteFrontSettings
  readonly routes: MainRoutes
  /** Of the live tail, on every front. */
  readonly tickets: SharedArrayBuffer
}

/** Given to the actors of every worker thread. */
export interface ThreadDeps {
  readonly spawn: Spawn
  readonly log: LiveLog
  readonly publisher: EventPublisher
  /** Where the thread counts what it does. */
  readonly meters: Meters
}
