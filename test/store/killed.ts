import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { CommitResult, Submission } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { NoticeSubject } from '../../src/domain/notice.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'
import { draft, freshDir } from './support.ts'

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

/** What clients and operators of the killed version had been told; `kill-under-load.ts` made it. */
export const before: Before = JSON.parse(unpacked('before.json').toString())

const MINUTE = 60_000
/** Channels and policy as the killed version ran with. */
const options = (dataDir: string, now: () => number): StoreOptions => ({
  dataDir,
  channels: ['chatws', 'msgapp', 'officechat'],
  threadedChannels: ['chatws', 'msgapp'],
  oncall: { enable: false, waitMs: 120 * MINUTE, provider: 'webhook' },
  maxIncidents: 100_000,
  maxBacklog: 100_000,
  now,
})

/** Dispatches in the terms of the test, whatever the store calls them. */
interface Leased {
  readonly id: string
  readonly attempt: number
  readonly mayDuplicate: boolean
}

/** A store on a copy of the files that the kill left. The only part of the test that knows the ports of the store. */
export class KilledStore {
  /** Minutes since the kill. Below 60, follow-ups are still news; from 30 on, retries are due; at 120, timers. */
  minutes = 40
  store: Store
  readonly #dataDir: string

  constructor(t: TestContext) {
    this.#dataDir = freshDir(t)
    for (const name of ['tocsin.db', 'tocsin.db-wal']) writeFileSync(join(this.#dataDir, name), unpacked(name))
    this.store = this.#open()
    t.after(() => this.store.close())
  }

  #open(): Store {
    return openStore(options(this.#dataDir, () => before.killedAt + this.minutes * MINUTE))
  }

  reopen(): void {
    this.store.close()
    this.store = this.#open()
  }

  /** Applies all that was committed and not applied, with no free slot at any sender. */
  applyAll(): void {
    const { store } = this
    while (store.journal.unapplied() > 0) store.write(() => store.journal.apply(64, () => false))
  }

  /** Returns all incidents, oldest first. */
  all(): IncidentDetail[] {
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = this.store.incidents.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      ids.unshift(...page.incidents.map(({ id }) => id).reverse())
      if (page.next_cursor === null) return ids.map((id) => this.detail(id))
      cursor = page.next_cursor
    }
  }

  detail(id: string): IncidentDetail {
    const found = this.store.incidents.detail(id)
    if (found === undefined) throw new Error(`incident ${id} is lost`)
    return found
  }

  submit(submission: Omit<Submission, 'drafts'>): CommitResult | undefined {
    const { store } = this
    const [packed] = packSubmissions([{ ...submission, drafts: [draft()] }])
    return packed && store.write(() => store.journal.append(packed))?.[0]
  }

  claimDeliveries(channel: ChannelName): Leased[] {
    const limits = { slots: 10_000, maxBytes: Number.MAX_SAFE_INTEGER }
    return this.store.write(() => this.store.outbox.claim(channel, limits))
  }

  /** Channels that follow-ups and notices about dead deliveries go through, with their text or subject. */
  claimNotices(): { readonly channel: ChannelName; readonly text: string; readonly mayDuplicate: boolean }[] {
    const { dispatches } = this.store.write(() => this.store.outbox.claimNotices(() => true))
    return dispatches.map(({ channel, notice, title, mayDuplicate }) => {
      const text = notice?.kind === 'failures' ? about(notice.about, notice.dead) : title
      return { channel, text, mayDuplicate }
    })
  }

  claimPages(): (Leased & { readonly signal: string })[] {
    return this.store.write(() => this.store.oncall.claim(10_000))
  }
}

export const about = (subject: NoticeSubject, dead: number) => `${dead} dead on ${subject}`
