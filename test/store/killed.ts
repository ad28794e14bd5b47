import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { freshDir } from './support.ts'
import { UpgradedStore } from './upgraded.ts'

const FIXTURE = new URL('./fixtures/killed-1.4.0/', import.meta.url)
const unpacked = (name: string) => gunzipSync(readFileSync(new URL(`${name}.gz`, FIXTURE)))

interface Before {
  /** Epoch milliseconds. */
  readonly killedAt: number
  /** Ids of incidents by the state they were brought into. */
  readonly named: { readonly [name: string]: string }
  /** Answers of `GET /api/admin/incidents/:id` for all incidents before the flood. */
  readonly incidents: readonly Omit<IncidentDetail, 'reported_status'>[]
  /** Answer of `GET /api/admin/channels` before the flood. */
  readonly channels: readonly {
    readonly name: ChannelName
    readonly paused_at: string | null
    readonly dead: number
    readonly last_sent_at: string | null
    readonly last_error: { readonly at: string; readonly detail: string; readonly incident_id: string | null } | null
  }[]
  /** Requests that were answered 201: id of the first incident, titles of all, idempotency key. */
  readonly answered: readonly { readonly id: string; readonly titles: readonly string[]; readonly key?: string }[]
}

/** Answers that clients and operators got from the killed version; `kill-under-load.ts` made the file. */
export const before: Before = JSON.parse(unpacked('before.json').toString())

/** Minutes after the kill: retries and the next notice are due, follow-ups are still news, armed timers run. */
const LATER = 40
export const minutesAfter = (minutes: number) => before.killedAt + minutes * 60_000

/** Opens a copy of the files that the kill left. */
export function openKilled(t: TestContext, at = minutesAfter(LATER)): UpgradedStore {
  const dataDir = freshDir(t)
  for (const name of ['tocsin.db', 'tocsin.db-wal']) writeFileSync(join(dataDir, name), unpacked(name))
  const oncall = { enable: false, waitMs: 7_200_000, provider: 'webhook' }
  return new UpgradedStore(t, { dataDir, channels: ['chatws', 'msgapp', 'officechat'], oncall, at })
}
