import type { Lease } from '../../src/cluster/shared-lease.ts'
import type { Config } from '../../src/config/complete.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { SharedProgress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { LiveLog, LogSettings } from '../../src/telemetry/log.ts'
import type { Meters } from '../../src/telemetry/meters.ts'
import type { MainRoutes } from '../messages/front-main.ts'
import type { RemoteFrontSettings } from '../messages/front-queries.ts'
import type { Spawn } from './spawn.ts'

/**
 * Settings of the whole system: the checked configuration without its raw values. Plain data and Maps, so that each thread can be
 * sent its part.
 */
export type SystemSettings = Omit<Config, 'effective'>
export type StorageSettings = SystemSettings['storage']
/** `dataDir` then holds only what a replica can make again. */
export type PostgresStorage = Extract<StorageSettings, { type: 'postgres' }>
export type TopicSettings = SystemSettings['topicsvc']
export type OncallSettings = SystemSettings['oncall']

/**
 * Returns the configuration in force with other sections of routes, schedules, silences and noise, which stand in `text`
 * as YAML. `file` stands for a file in errors and warnings. Throws config_invalid.
 */
export type Propose = (sections: { readonly file: string; readonly text: string }) => {
  readonly config: SystemSettings
  readonly warnings: readonly string[]
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
