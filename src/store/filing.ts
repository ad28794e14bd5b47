import type { Draft, Handout } from '../domain/commit.ts'
import type { ChannelName } from '../domain/delivery.ts'
import { CHANNEL_CODE, maskOf, NOTIFY, STATE } from './codes.ts'
import type { Contents } from './contents.ts'
import type { Filed, OncallChange } from './contract.ts'
import type { Escalations } from './oncall/escalations.ts'
import { command, type Parameter, readable } from './statement.ts'
import { owed, type Tally } from './tally.ts'
import { openThreads, type Threads } from './threads.ts'
import type { Tools } from './tools.ts'
import type { Known } from './under-way.ts'
import type { Batch, Unfiled } from './unfiled.ts'

/** Whether the channel's sender has a free place for a content of so many bytes. */
export type Claim = (channel: ChannelName, bytes: number) => boolean

interface Arrival {
  readonly draft: Draft
  readonly incident: number
  /** Where its payload begins among those that were committed together. */
  readonly contentStart: number
  readonly committedAt: number
  readonly targets: { readonly [channel: string]: string } | undefined
  /** Until the incident pages somebody; undefined: it does not. */
  readonly waitMs: number | undefined
}

interface FilingParts {
  readonly escalations: Escalations
  readonly unfiled: Pick<Unfiled, 'take'>
  readonly contents: Pick<Contents, 'prune'>
  /** Nobody is paged, whatever comes. */
  readonly pagesNobody: boolean
  /** Finished incidents that are kept. */
  readonly maxIncidents: number
  /** Deliveries and pages beyond which nothing is taken. */
  readonly maxBacklog: number
}

type Filing = { -readonly [K in keyof Filed]: Filed[K] extends readonly (infer T)[] ? T[] : never }

/** Makes incidents, deliveries and timers of what is committed, in the order of commit: two statements an incident, and one for its timer. */
export function openFiling(tools: Tools, parts: FilingParts) {
  const { escalations, unfiled, contents, pagesNobody, maxIncidents } = parts
  const { tally, channels } = tools
  const finishedAtOnce = channels.length === 0 && pagesNobody
  const insert = openInserts(tools)
  const place = openPlacing(tools, openThreads(tools.db))

  function fileOne(arrival: Arrival, claim: Claim, filed: Filing): void {
    insert.deliveries(arrival, place(arrival, claim, filed.handouts))
    filed.oncall.push(...escalated(arrival, escalations))
    filed.drafts.push(arrival.draft)
  }

  /** Retention would delete it as soon as it is filed: it needs nothing more, and enough newer ones are waiting. */
  const isPassed = (batch: number) => finishedAtOnce && tally.unfiled.incidents - batch >= maxIncidents

  /** What is told of incidents that are not kept. */
  function passBatch({ first, submissions }: Batch, filed: Filing): void {
    const drafts = submissions.flatMap((submission) => submission.drafts)
    for (const draft of drafts)
      if (draft.status === 'resolved') filed.oncall.push(...escalations.resolve(draft.fingerprint))
    filed.drafts.push(...drafts)
    contents.prune({ first, last: first + drafts.length - 1 })
  }

  function fileBatch({ first, committedAt, submissions }: Batch, claim: Claim, filed: Filing): void {
    let incident = first
    let contentStart = 0
    const filedBefore = filed.drafts.length
    for (const { drafts, overrides, origin } of submissions) {
      const particulars = [jsonOrNull(overrides), jsonOrNull(origin)]
      for (const draft of drafts) {
        const waitMs = escalations.waitMs(draft, overrides)
        const arrival = { draft, incident, contentStart, committedAt, targets: overrides?.targets, waitMs }
        if (insert.incident(arrival)) {
          insert.particulars(incident, particulars)
          // Attributes may be large and a message may hold thousands of incidents, so only the first one keeps them.
          particulars[1] = null
          fileOne(arrival, claim, filed)
        }
        incident++
        contentStart += draft.content.length
      }
    }
    if (filed.drafts.length === filedBefore) contents.prune({ first, last: incident - 1 })
  }

  /** At least so many, if there are so many. */
  return function file(incidents: number, claim: Claim): Filed {
    const filed: Filing = { handouts: [], oncall: [], drafts: [] }
    let count = 0
    while ((count < incidents || mayPassQuota(tally, parts)) && tally.unfiled.incidents > 0) {
      const batch = unfiled.take()
      if (batch === undefined) break
      const done = sizeOf(batch)
      if (isPassed(done)) passBatch(batch, filed)
      else fileBatch(batch, claim, filed)
      tally.unfiled.incidents -= done
      tally.unfiled.deliveries -= done * channels.length
      count += done
    }
    return filed
  }
}

/** How many of what waits will page is known when it is filed, and the quota counts them. */
const mayPassQuota = (tally: Tally, { pagesNobody, maxBacklog }: FilingParts) =>
  !pagesNobody && owed(tally) + tally.unfiled.incidents > maxBacklog

const sizeOf = ({ submissions }: Batch) => submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)

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
       oncall_open, content_start, content_bytes, channels_enabled, notify_status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${enabled}, ${atFirst})
     ON CONFLICT (id) DO NOTHING`,
  )
  const particulars = command(db, 'INSERT INTO particulars (seq, overrides, origin) VALUES (?, ?, ?)')
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
    incident({ draft: d, incident: seq, contentStart, committedAt, waitMs }: Arrival): boolean {
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
        contentStart,
        d.content.length,
      )
      if (changes === 0) return false
      tally.incidents++
      if (atFirst !== NOTIFY.pending && waitMs === undefined) tally.finished++
      return true
    },
    /** JSON of what was asked for beside the payload, and of where it came from; most have neither. */
    particulars(seq: number, [overrides = null, origin = null]: readonly (string | null)[]): void {
      if (overrides !== null || origin !== null) particulars.run(seq, overrides, origin)
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
