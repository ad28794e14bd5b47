import type { Draft, Handout, Submission } from '../domain/commit.ts'
import type { ChannelName } from '../domain/delivery.ts'
import { CHANNEL_CODE, maskOf, NOTIFY, STATE } from './codes.ts'
import type { Committed, OncallChange } from './contract.ts'
import { openKeys } from './idempotency.ts'
import type { Escalations } from './oncall/escalations.ts'
import { command, type Parameter, readable } from './statement.ts'
import { owed } from './tally.ts'
import { openThreads, type Threads } from './threads.ts'
import type { Tools } from './tools.ts'
import type { Known } from './under-way.ts'

/** Whether the channel's sender has a free place for a content of so many bytes. */
export type Claim = (channel: ChannelName, bytes: number) => boolean

interface Arrival {
  readonly draft: Draft
  readonly incident: number
  readonly committedAt: number
  readonly targets: { readonly [channel: string]: string } | undefined
  /** Until the incident pages somebody; undefined: it does not. */
  readonly waitMs: number | undefined
}

export interface CommitOptions {
  /** Unfinished deliveries beyond which nothing is taken. */
  readonly maxBacklog: number
  /** Whether what is committed will be found again. */
  inPlace(): boolean
}

/** The hot path: three statements an incident, whatever the number of channels, and one for its timer. */
export function openCommit(tools: Tools, escalations: Escalations, { maxBacklog, inPlace }: CommitOptions) {
  const { db, tally, channels, now } = tools
  const keys = openKeys(db)
  const insert = openInserts(tools)
  const place = openPlacing(tools, openThreads(db))

  function refuses(wanted: number): boolean {
    const open = owed(tally)
    // A submission larger than the whole quota would be refused for ever if it did not pass an empty backlog.
    return open > 0 && open + wanted > maxBacklog
  }

  return function commit({ drafts, key, overrides, origin }: Submission, claim: Claim): Committed {
    const committedAt = now()
    const used = key === undefined ? undefined : keys.find(key, committedAt)
    if (used !== undefined) return { result: { kind: 'duplicate', id: used }, ...NOTHING }
    if (!inPlace()) return { result: { kind: 'refused', code: 'storage_down' }, ...NOTHING }
    if (refuses(drafts.length * channels.length))
      return { result: { kind: 'refused', code: 'backlog_full' }, ...NOTHING }

    const handouts: Handout[] = []
    const oncall: OncallChange[] = []
    const overridesJson = jsonOrNull(overrides)
    // Attributes may be large and a message may hold thousands of incidents, so only the first one keeps them.
    let originJson = jsonOrNull(origin)
    for (const draft of drafts) {
      const waitMs = escalations.waitMs(draft, overrides)
      const arrival = { draft, incident: tally.nextSeq, committedAt, targets: overrides?.targets, waitMs }
      if (!insert.incident(arrival, overridesJson, originJson)) continue
      originJson = null
      insert.deliveries(arrival, place(arrival, claim, handouts))
      oncall.push(...escalated(arrival, escalations))
    }
    const first = drafts[0]
    if (key !== undefined && first !== undefined) keys.remember(key, first.id, committedAt)
    return { result: { kind: 'created' }, handouts, oncall }
  }
}

const NOTHING = { handouts: [], oncall: [] }

function escalated({ draft, incident, committedAt: at, waitMs }: Arrival, escalations: Escalations): OncallChange[] {
  if (draft.status === 'resolved') return escalations.resolve(draft.fingerprint)
  return waitMs === undefined ? [] : [escalations.arm(incident, draft.fingerprint, { at, waitMs })]
}

const jsonOrNull = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))

function openInserts({ db, tally, channels }: Tools) {
  const enabled = maskOf(channels)
  const atFirst = channels.length === 0 ? NOTIFY.sent : NOTIFY.pending
  // The same id again is a message that was repeated after its commit: it is stored, and its deliveries are on their way.
  const incident = command(
    db,
    `INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint,
       oncall_open, channels_enabled, notify_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${enabled}, ${atFirst})
     ON CONFLICT (id) DO NOTHING`,
  )
  const payload = command(db, 'INSERT INTO payloads (seq, content, overrides, origin) VALUES (?, ?, ?, ?)')
  const rows = channels.map((name, n) => `(?1, ${CHANNEL_CODE[name]}, ?2, ?${3 + 2 * n}, ?${4 + 2 * n})`)
  const deliveries =
    rows.length === 0
      ? undefined
      : command(
          db,
          `INSERT INTO deliveries (incident, channel, next_attempt_at, state, target) VALUES ${rows.join(', ')}`,
        )
  return {
    /** False: the id is stored already. */
    incident(
      { draft: d, incident: seq, committedAt, waitMs }: Arrival,
      overridesJson: string | null,
      originJson: string | null,
    ): boolean {
      const { changes } = incident.run(
        seq,
        d.id,
        d.createdAt,
        committedAt,
        d.source,
        d.sender,
        readable(d.title),
        readable(d.service),
        readable(d.severity),
        d.status,
        readable(d.fingerprint),
        waitMs === undefined ? 0 : 1,
      )
      if (changes === 0) return false
      payload.run(seq, d.content, overridesJson, originJson)
      tally.nextSeq++
      tally.incidents++
      if (atFirst !== NOTIFY.pending && waitMs === undefined) tally.finished++
      return true
    },
    /** `placed`: state and target of each enabled channel in turn. */
    deliveries({ incident: seq, committedAt }: Arrival, placed: readonly Parameter[]): void {
      deliveries?.run(seq, committedAt, ...placed)
    },
  }
}

function openPlacing({ tally, channels, underWay }: Tools, threads: Threads) {
  /** Decides for each channel between its sender and the disk, pushing what goes to a sender. */
  return function place(arrival: Arrival, claim: Claim, handouts: Handout[]): Parameter[] {
    const placed: Parameter[] = []
    const { draft, committedAt, targets } = arrival
    for (const channel of channels) {
      const lane = tally.lanes[channel]
      const target = targets?.[channel] ?? null
      if (lane.dueAt > committedAt && claim(channel, draft.content.byteLength)) {
        lane.sending++
        placed.push(STATE.sending, target)
        handouts.push(firstHandout(arrival, channel, threads))
        underWay.remember(arrival.incident, channel, knownOf(arrival, target))
      } else {
        lane.pending++
        lane.dueAt = Math.min(lane.dueAt, committedAt)
        placed.push(STATE.pending, target)
      }
    }
    return placed
  }
}

/** As it will be read. */
function knownOf({ draft, committedAt }: Arrival, target: string | null): Known {
  const { id, status, createdAt } = draft
  return {
    ...{ id, status, target, created_at: createdAt, next_attempt_at: committedAt },
    title: readable(draft.title),
    severity: readable(draft.severity),
    fingerprint: readable(draft.fingerprint),
    ...{ attempts: 0, earlier_attempts: 0, may_duplicate: 0 },
  }
}

function firstHandout({ draft, incident, committedAt, targets }: Arrival, channel: ChannelName, threads: Threads) {
  const target = targets?.[channel]
  const inReplyTo =
    draft.status === 'resolved' ? threads.messageId({ channel, fingerprint: draft.fingerprint, target }) : undefined
  return {
    ...draft,
    incident,
    channel,
    attempt: 1,
    mayDuplicate: false,
    ...{ committedAt, handedOutAt: committedAt },
    ...(target === undefined ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  } satisfies Handout
}
