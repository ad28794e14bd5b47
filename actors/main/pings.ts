import { CodedError } from '../../src/domain/errors.ts'
import type { Ping } from '../../src/domain/heartbeat.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { HeartbeatSettings } from '../../src/policy/heartbeat.ts'
import type { NamedPing } from '../../src/store/ports/heartbeats.ts'
import type { Ask } from '../messages/query.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'

interface PingsDeps {
  readonly askStorage: Ask<StorageQueries>
  readonly clock: Pick<Clock, 'now'>
  /** Returns the heartbeats of the configuration that runs now. */
  heartbeats(): readonly HeartbeatSettings[]
  /** Called when a ping was recorded, which may owe an incident. */
  recorded(): void
}

export interface Pings {
  /**
   * Resolves after the transaction with the name of the heartbeat; undefined: none has this name or slug. Rejects with
   * `ingest_full`, `storage_full`, `storage_down`, `ask_timeout`, `peer_down`.
   */
  ping(nameOrSlug: string, ping: Omit<Ping, 'at'>): Promise<string | undefined>
}

interface Waiting {
  readonly ping: NamedPing
  done(isKnown: boolean): void
  failed(error: unknown): void
}

/** Pings that wait at once; further ones are refused. */
const MAX_WAITING = 1_024
/** Pings of one transaction. */
const AT_ONCE = 256

/** Records pings, those that came during one transaction in the next one (group commit). */
export function createPings({ askStorage, clock, heartbeats, recorded }: PingsDeps): Pings {
  const waiting: Waiting[] = []
  let underWay = 0

  async function commit(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, AT_ONCE)
      underWay = batch.length
      try {
        const known = await askStorage({ kind: 'pings', pings: batch.map(({ ping }) => ping) })
        recorded()
        for (const [at, { done }] of batch.entries()) done(known[at] === true)
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    underWay = 0
  }

  function record(ping: NamedPing): Promise<boolean> {
    if (waiting.length + underWay >= MAX_WAITING) throw new CodedError('ingest_full')
    return new Promise((done, failed) => {
      waiting.push({ ping, done, failed })
      // All of one turn of the event loop are one transaction.
      if (underWay === 0 && waiting.length === 1) setImmediate(() => void commit())
    })
  }

  return {
    async ping(nameOrSlug, ping) {
      const all = heartbeats()
      const found = all.find(({ name }) => name === nameOrSlug) ?? all.find(({ slug }) => slug === nameOrSlug)
      if (found === undefined) return undefined
      return (await record({ ...ping, heartbeat: found.name, at: clock.now() })) ? found.name : undefined
    },
  }
}
