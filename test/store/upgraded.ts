import type { TestContext } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { Submission } from '../../src/domain/commit.ts'
import type { ChannelName, Destination } from '../../src/domain/delivery.ts'
import type { Dispatch, MessageDispatch, Page } from '../../src/domain/dispatch.ts'
import type { Store, StoreOptions } from '../../src/store/store.ts'
import { openStore } from './database.ts'
import { draft, entriesFor, settlement, turn } from './support.ts'

/** Dispatches in the terms of the test, whatever the store calls them. */
interface Leased {
  readonly id: string
  readonly attempt: number
  readonly mayDuplicate: boolean
}

/**
 * A store on a database that an earlier version wrote, with channels and policy as that version had them. The only part
 * of these tests that knows the ports of the store.
 */
export class UpgradedStore {
  /** Epoch milliseconds. */
  now: number
  store: Store
  readonly #options: StoreOptions

  constructor(
    t: TestContext,
    options: Pick<
      StoreOptions,
      'dataDir' | 'channels' | 'oncall' | 'storms' | 'repeats' | 'flapping' | 'silences' | 'heartbeats'
    > & { readonly at: number },
  ) {
    this.now = options.at
    const limits = { threadedChannels: ['chatws', 'msgapp'], maxIncidents: 100_000, maxBacklog: 100_000 } as const
    this.#options = { ...options, ...limits, now: () => this.now }
    this.store = openStore(this.#options)
    t.after(() => this.store.close())
  }

  reopen(): void {
    this.store.close()
    this.store = openStore(this.#options)
  }

  /** Applies all that was committed and not applied, with no free slot at any sender. */
  applyAll(): void {
    const { store } = this
    while (store.journal.leftBehind() > 0) turn(store, {})
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

  submit(submission: Omit<Submission, 'drafts'>): { readonly kind: 'duplicate'; readonly id: string } | undefined {
    const { store } = this
    const [id] = submission.key === undefined ? [] : store.journal.findKeys([submission.key])
    if (id) return { kind: 'duplicate', id }
    turn(store, { entries: entriesFor(store, [{ ...submission, drafts: [draft()] }]) })
    return undefined
  }

  claimDeliveries(channel: ChannelName): Leased[] {
    return this.#claim([channel]).filter(({ kind }) => kind === 'delivery')
  }

  /** Channels that follow-ups and notices about dead deliveries go through, with their text or subject. */
  claimNotices(): { readonly channel: ChannelName; readonly text: string; readonly mayDuplicate: boolean }[] {
    const isNotice = (dispatch: Dispatch): dispatch is MessageDispatch =>
      dispatch.kind === 'notice' || dispatch.kind === 'follow-up'
    const dispatches = this.#claim(this.#options.channels).filter(isNotice)
    return dispatches.map(({ destination, notice, title, mayDuplicate }) => {
      const text = notice?.kind === 'failures' ? about(notice.about, notice.dead) : title
      return { channel: destination, text, mayDuplicate }
    })
  }

  claimPages(): (Leased & { readonly signal: string })[] {
    return this.#claim(['oncall']).filter((dispatch): dispatch is Page => dispatch.kind === 'page')
  }

  /** Sends the revision of a digest that is due, and concludes its places. */
  tellDigest(channel: ChannelName) {
    const dispatch = this.#claim([channel]).find((each): each is MessageDispatch => each.kind === 'digest')
    if (dispatch === undefined) throw new Error(`no digest is due on ${channel}`)
    const { number, mayDuplicate, edits } = dispatch
    turn(this.store, { settlements: [settlement(dispatch, { state: 'sent' })] })
    turn(this.store, {})
    return { number, mayDuplicate, ...(edits !== undefined && { edits }) }
  }

  #claim(destinations: readonly Destination[]): readonly Dispatch[] {
    const room = { slots: 10_000, maxBytes: Number.MAX_SAFE_INTEGER }
    const capacity = new Map(destinations.map((to) => [to, room]))
    return turn(this.store, { capacity }).dispatches
  }
}

export const about = (subject: Destination, dead: number) => `${dead} dead on ${subject}`
