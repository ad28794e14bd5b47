import { CodedError } from '../../domain/errors.ts'
import { type KeyedRequest, keyedRequests, readFrameHeader } from '../../domain/frame.ts'
import type { Draft } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'
import type { Decision } from '../../policy/decision.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { Copies } from '../answers/copies.ts'
import type { Recurrence } from '../bundles/arrivals.ts'
import { toCodedError } from '../engine/errors.ts'
import type { Rooms } from '../engine/rooms.ts'
import { withoutNul } from '../engine/statement.ts'
import type { Heartbeats } from '../heartbeats/heartbeats.ts'
import { type NewIncident, openInsert } from '../incidents/insert.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { openArrivals } from '../noise/silences/arrivals.ts'
import type { Silences } from '../noise/silences/silences.ts'
import { openFanOut, type PlannedDelivery } from '../outbox/fan-out.ts'
import type { PageOfIncident } from '../pages/pages.ts'
import type { Applied, JournalEntry, Quarantined, ReadyEntry, UnreadableEntry } from '../ports/journal.ts'
import type { OncallChange } from '../ports/oncall.ts'
import { ApplyError } from './entry.ts'
import type { Quarantine } from './quarantine.ts'

interface ApplyDeps {
  readonly arrive: ReturnType<typeof openArrivals>
  readonly silences: Pick<Silences, 'prepare'>
  readonly copies: Pick<Copies, 'ended'>
  readonly alerts: Pick<Alerts, 'applied'>
  readonly heartbeats: Pick<Heartbeats, 'begin' | 'hear' | 'raised' | 'end'>
  readonly quarantine: Pick<Quarantine, 'add'>
}

/** Effects of the entries that a transaction has applied so far. */
type AppliedSoFar = Applied & { readonly quarantined: Quarantined[] }

/** Returns no keys of a frame that cannot be read. */
function keysIn(frame: Uint8Array): readonly KeyedRequest[] {
  try {
    return [...keyedRequests(frame)]
  } catch {
    return []
  }
}

export const nothingApplied = (): AppliedSoFar => ({
  dispatches: [],
  oncall: [],
  drafts: [],
  quarantined: [],
  nobody: 0,
  decideMs: 0,
  silenced: 0,
})

/**
 * Opens `apply`: makes incidents, deliveries and timers of entries, in order, and adds the effects to `soFar`. Inside
 * `write`. Throws `ApplyError` for what is no failure of the disk.
 */
export function openApply(context: NoiseParts, deps: ApplyDeps) {
  const { db, counts, decisions, problems, tellings, payloads, keys } = context
  const { heartbeats, quarantine } = deps
  const saveApplied = db.command('UPDATE applied SET up_to = ?')
  const applyIncidents = openApplyIncidents(context, deps)

  function applyReady(entry: ReadyEntry, rooms: Rooms, soFar: AppliedSoFar): void {
    payloads.write(entry, entry.contents)
    for (const { key, drafts } of entry.submissions) {
      const [first] = drafts
      if (key === undefined || first === undefined) continue
      keys.save(key, first.id, entry.committedAt)
      if (first.source === 'heartbeat') heartbeats.raised(key)
    }
    applyIncidents(entry, rooms, soFar)
  }

  /** Saves the keys of requests whose first incident goes to quarantine: the others of the request are applied. */
  function saveKeys({ first, last, frame }: UnreadableEntry): void {
    for (const { key, number, id } of keysIn(frame))
      if (number >= first && number <= last) keys.save(key, id, readFrameHeader(frame)?.committedAt ?? 0)
  }

  function applyEntry(entry: JournalEntry, rooms: Rooms, soFar: AppliedSoFar): void {
    switch (entry.kind) {
      case 'ready':
        return guarded(entry, () => applyReady(entry, rooms, soFar))
      case 'unreadable':
        soFar.quarantined.push(quarantine.add(entry))
        return saveKeys(entry)
      case 'skipped':
        return
      default:
        return entry satisfies never
    }
  }

  /** Reads what the incidents of a turn need together, where a statement costs a round trip. */
  function prefetch(drafts: readonly Draft[]): void {
    problems.prefetch(drafts.map(fingerprintOf))
    const isHeld = counts.silences.active.length + counts.releasing.length > 0
    const asking = isHeld ? drafts : drafts.filter(({ status }) => status === 'resolved')
    tellings.prefetch(asking.flatMap((draft) => problems.numberOf(fingerprintOf(draft)) ?? []))
  }

  function applyAll(entries: readonly JournalEntry[], rooms: Rooms, soFar: AppliedSoFar): void {
    decisions.begin()
    heartbeats.begin()
    for (const entry of entries) applyEntry(entry, rooms, soFar)
    decisions.end(context.now())
    heartbeats.end()
  }

  return {
    /** Applies entries of the journal and advances `appliedUpTo`. */
    apply(entries: readonly JournalEntry[], rooms: Rooms, soFar: AppliedSoFar): void {
      if (context.engine.isRemote) prefetch(entries.flatMap(draftsOf))
      applyAll(entries, rooms, soFar)
      const { last } = entries.at(-1) ?? { last: 0 }
      if (last <= counts.appliedUpTo) return
      saveApplied.run(last)
      counts.appliedUpTo = last
    },
    /** Applies entries that left the quarantine; rows are stored already. */
    applyAgain(entry: JournalEntry, rooms: Rooms, soFar: AppliedSoFar): void {
      applyAll([entry], rooms, soFar)
      problems.flushOlder()
    },
  }
}

const draftsOf = (entry: JournalEntry): readonly Draft[] =>
  entry.kind === 'ready' ? entry.submissions.flatMap(({ drafts }) => drafts) : []

const fingerprintOf = ({ fingerprint }: Draft) => withoutNul(fingerprint)

interface Placed extends Pick<NewIncident, 'draft' | 'incident' | 'committedAt' | 'decision' | 'problem' | 'previous'> {
  readonly wasFiring: boolean
  readonly recurrence: Recurrence | undefined
  readonly planned: readonly PlannedDelivery[]
  readonly arrival: ReturnType<ReturnType<typeof openArrivals>>
}

/** Two statements for each incident, and one for its page. */
function openApplyIncidents(context: NoiseParts, deps: ApplyDeps) {
  const { heartbeats, arrive, silences } = deps
  const { now, pages, decisions, problems, decide, elapsed, bundles } = context
  const insert = openInsert(context)
  const { plan, fanOut } = openFanOut(context)

  /** Undefined: it does not page. */
  function pageOf({ draft: alert, incident, committedAt, decision, ...placed }: Placed): PageOfIncident | undefined {
    const { problem, previous, wasFiring, recurrence, planned, arrival } = placed
    if (decision.page === undefined) return undefined
    const { isRepeat = false, isAcknowledged = false, flapSince } = recurrence ?? {}
    const isSilenced = arrival?.isSilenced === true
    const { escalation, waitMs, target } = decision.page
    if (escalation !== undefined && context.runs !== undefined) {
      const level = severityRank(alert.severity)
      const isAnew = !wasFiring && !isAcknowledged && flapSince === undefined
      context.runs.arrive({ problem, escalation, level, waitMs, target, isSilenced, isAcknowledged, isAnew })
      return { phase: 'joined', dueAt: committedAt + waitMs, changes: [] }
    }
    return pages.arrive({
      ...{ alert, incident, problem, isFirst: previous === null, now: committedAt, ...decision.page },
      ...{ wasFiring, isRepeat, isAcknowledged, isFlapping: flapSince !== undefined, isFolded: planned.some(isFolded) },
      isSilenced,
    })
  }

  /** A page that was sent about a problem that flaps is resolved when that is over. */
  const resolve = ({ fingerprint }: Draft, recurrence: Recurrence | undefined): OncallChange[] =>
    recurrence?.flapSince === undefined ? pages.resolve(fingerprint) : pages.resolveUnknown(fingerprint)

  return function applyIncidents(
    { first, committedAt: at, submissions }: ReadyEntry,
    rooms: Rooms,
    soFar: AppliedSoFar,
  ): void {
    let incident = first
    let contentStart = 0
    // The clock may have been set back since the commit. A later time would hold the deliveries back until then.
    const committedAt = Math.min(at, now())
    // All at once, because reading the clock for each incident would cost more than most decisions.
    const since = elapsed()
    const decided = submissions.map(({ drafts, overrides }) =>
      drafts.map((draft) => ({ draft, decision: decide(draft, overrides, committedAt) })),
    )
    soFar.decideMs += elapsed() - since
    for (const [request, { overrides, origin }] of submissions.entries()) {
      const requestOptions = [jsonOrNull(overrides), jsonOrNull(origin)]
      for (const { draft, decision } of decided[request] ?? []) {
        const decisionNumber = decisions.numberOf(decision)
        const recurrence = bundles.look({ draft, incident, committedAt })
        const group = bundles.lookAtGroup({ draft, incident, committedAt }, decision)
        const added = problems.add({ draft, incident, committedAt })
        const { problem, previous, wasFiring } = added
        soFar.oncall.push(...silences.prepare(draft, incident, added))
        const arrival = arrive(draft, incident, added)
        const of = { draft, incident, committedAt, decision, problem, previous }
        const planned = plan(of, arrival?.deliver, { recurrence, group })
        const page = pageOf({ ...of, wasFiring, recurrence, planned, arrival })
        const isSilenced = planned.length > 0 && planned.every(isForGood)
        const newIncident = { ...of, contentStart, decisionNumber, page, isSilenced }
        insert.incident(newIncident)
        insert.particulars(incident, requestOptions)
        // Only the first incident of a message keeps the origin: attributes may be large, and a message may hold
        // thousands of incidents.
        requestOptions[1] = null
        fanOut(newIncident, planned, rooms, soFar.dispatches)
        if (page !== undefined) soFar.oncall.push(...page.changes)
        if (page?.phase === 'held') arrival?.holdsPage()
        if (draft.status === 'resolved') soFar.oncall.push(...resolve(draft, recurrence))
        if (draft.status === 'resolved' && wasFiring) deps.copies.ended(problems.find(fingerprintOf(draft)))
        arrival?.applied(planned)
        if (page?.phase === 'held' || planned.some(isKept)) soFar.silenced++
        if (!isTold(decision)) soFar.nobody++
        soFar.drafts.push(draft)
        heartbeats.hear(draft, committedAt)
        if (draft.source === 'alertmanager') deps.alerts.applied(draft, incident, committedAt)
        incident++
        contentStart += draft.content.length
      }
    }
  }
}

function guarded(entry: ReadyEntry, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw toCodedError(error) instanceof CodedError ? error : new ApplyError(entry, error)
  }
}

const isFolded = ({ placement }: PlannedDelivery) => placement.kind === 'fold'

const isForGood = ({ placement }: PlannedDelivery) => placement.kind === 'silenced'
const isKept = ({ placement: { kind } }: PlannedDelivery) => kind === 'held' || kind === 'silenced'

const isTold = ({ destinations, rules }: Decision) => destinations.length > 0 || rules.length === 0

const jsonOrNull = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
