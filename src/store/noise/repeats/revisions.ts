import type { ChannelName } from '../../../domain/delivery.ts'
import { type DispatchKey, type MessageDispatch, RANK, type Settlement } from '../../../domain/dispatch.ts'
import type { Way } from '../../../policy/storm-state.ts'
import { recordAttemptHealth } from '../../deliveries/channel-health.ts'
import { KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { command, query } from '../../engine/statement.ts'
import type { Payloads } from '../../journal/payloads.ts'
import { deliveryDispatch } from '../../outbox/delivery-dispatch.ts'
import { openDelivery } from '../../outbox/due.ts'
import type { Leases } from '../../outbox/lease.ts'
import type { Ledger } from '../../outbox/ledger.ts'
import type { Notices } from '../../outbox/notices.ts'
import type { RevisionTold } from '../../ports/outbox.ts'
import type { Problems } from '../../problems/problems.ts'
import type { Tellings } from '../../tellings/tellings.ts'
import { type Bundles, digestKey } from '../bundles.ts'
import type { Decisions } from '../decisions.ts'
import { subjectOf } from '../silences/waiting.ts'
import type { Storms } from '../storms.ts'
import { changeRepeats, countUntold } from './lane-repeats.ts'
import { type Edited, openMessageOf } from './message-of.ts'
import type { RepeatNotes } from './notes.ts'
import { FLAP, isDone, type RepeatBundle, type RepeatRows } from './rows.ts'
import { editAtOf, type RepeatRules, remindMsOf } from './rules.ts'
import { openWordsOfProblem, type Words } from './words.ts'

export interface RevisionDeps {
  readonly rules: RepeatRules
  readonly rows: RepeatRows
  readonly notes: RepeatNotes
  readonly bundles: Bundles
  readonly storms: Pick<Storms, 'isRuled' | 'isStormy' | 'attempted'>
  readonly leases: Pick<Leases, 'take' | 'find' | 'end'>
  readonly ledger: Ledger
  readonly notices: Pick<Notices, 'raise'>
  readonly problems: Pick<Problems, 'find'>
  readonly payloads: Pick<Payloads, 'of'>
  readonly decisions: Pick<Decisions, 'templateOf'>
  readonly tellings: Pick<Tellings, 'messageId'>
  edits(channel: ChannelName): boolean
  /** Least time between two revisions at a destination. */
  gapMs(channel: ChannelName): number
  absorb(lane: Lane<ChannelName>, bundle: RepeatBundle): void
  close(bundle: RepeatBundle): void
}

/** Revisions of repeats on their way to the senders and back. Inside `write`, except `nextAt`. */
export interface RepeatRevisions {
  /** Leases revisions that are due to a channel, at most one for each destination and `slots` in all. */
  claim(channel: ChannelName, slots: number): MessageDispatch[]
  /** Settles a revision; undefined when none was told, false when it is not leased. */
  settle(settlement: Settlement): RevisionTold | undefined | false
  /** The delivery of an incident ended: a message may have told of repeats, or none will be there to edit. */
  ended(lane: Lane, incident: number, state: 'sent' | 'dead'): void
  /** The sender of a revision died. */
  lose(code: number): void
  /** Returns the epoch milliseconds of the next revision; Infinity: none is due without another event. */
  nextAt(lane: Lane): number
}

/** A bundle that waits for something else is looked at again after this time. */
const LOOK_MS = 60_000
/** Bundles that one claim looks at. */
const STEP = 16

interface ToldRepeats {
  readonly through: number
  readonly way: Way
  readonly messageId: string | undefined
  readonly isLast?: boolean
}

export function openRepeatRevisions(context: StoreContext, deps: RevisionDeps): RepeatRevisions {
  const { db, counts, lanes, now } = context
  const { rules, rows, notes, bundles, storms, leases, ledger, notices, problems, payloads, decisions } = deps
  const { edits, gapMs, absorb, close } = deps
  const delivery = openDelivery(db)
  const messageOf = openMessageOf(delivery)
  const wordsOfProblem = openWordsOfProblem(problems)
  const latest = query<{ incident: number }>(
    db,
    `SELECT incident FROM dispatches WHERE bundle = ? AND kind = ${KIND.delivery} ORDER BY place DESC LIMIT 1`,
  )
  const hand = command(db, 'UPDATE bundles SET handed = folded WHERE id = ?')

  function refresh(code: number): void {
    if (counts.repeats.has(code)) changeRepeats(counts, code, { dueAt: rows.nextDueAt(code) })
  }

  const postpone = (bundle: RepeatBundle, due_at: number) => rows.write({ ...bundle, due_at })

  const isSilenced = (row: Parameters<typeof subjectOf>[0]) =>
    counts.silences.active.some(({ compiled }) => compiled.fits(subjectOf(row, payloads)))

  /** Returns undefined when the bundle was told by other means, or waits. */
  function handOut(lane: Lane<ChannelName>, bundle: RepeatBundle): MessageDispatch | undefined {
    if (bundle.answer !== null && bundle.answer > 0) return void lookAtAnswer(lane, bundle, bundle.answer)
    const isLast = bundle.flap === FLAP.ending
    const isStormy = storms.isRuled(lane) && storms.isStormy(lane)
    if (isStormy) absorb(lane, bundle)
    if (isStormy) return isLast ? void postpone(bundle, now() + LOOK_MS) : undefined
    const place = latest.get(bundle.id)
    const newest = place && delivery.get(place.incident, lane.code)
    if (newest === undefined) {
      const words = isLast ? wordsOfProblem(lane, bundle) : undefined
      return words === undefined ? void close(bundle) : dispatchOf(lane, bundle, words)
    }
    if (isSilenced(newest)) return void postpone(bundle, now() + LOOK_MS)
    const first = messageOf(bundle)
    if (first === 'wait') return void postpone(bundle, now() + LOOK_MS)
    const edited = !isLast && typeof first === 'object' && edits(lane.destination) ? first : undefined
    const remindAt = first === 'dead' || isLast ? 0 : bundle.posted_at + remindMsOf(rules, bundle)
    if (edited === undefined && remindAt > now()) return void postpone(bundle, remindAt)
    const kept = edited?.incident == null ? undefined : delivery.get(edited.incident, lane.code)
    return dispatchOf(lane, bundle, { row: kept ?? newest }, edited)
  }

  function dispatchOf(lane: Lane<ChannelName>, bundle: RepeatBundle, words: Words, edited?: Edited): MessageDispatch {
    const { row } = words
    const key = digestKey(lane, bundle.id)
    if (edited !== undefined) rows.write({ ...bundle, message_id: edited.messageId })
    hand.run(bundle.id)
    leases.take(key)
    const lease = leases.find(key)
    const way = edited === undefined ? 'post' : 'edit'
    const sending = { bundle: bundle.id, way, through: bundle.folded, isLast: bundle.flap === FLAP.ending } as const
    changeRepeats(counts, lane.code, { sending, notBefore: now() + gapMs(lane.destination) })
    const template = decisions.templateOf(row.decision, lane)
    return {
      ...deliveryDispatch(row, lane, deps.tellings),
      ...(template === undefined ? undefined : { template }),
      ...key,
      kind: 'digest',
      destination: lane.destination,
      rank: RANK.low,
      attempt: (lease?.attempts ?? 0) + 1,
      mayDuplicate: way === 'post' && lease?.may_duplicate === 1,
      content: 'content' in words ? words.content : payloads.of(words.row),
      dispatchedAt: now(),
      repeats: notes.ofBundle(bundle),
      ...(edited === undefined ? undefined : { edits: edited.messageId }),
    }
  }

  /** Looks what became of the message that tells of the rest. */
  function lookAtAnswer(lane: Lane<ChannelName>, bundle: RepeatBundle, answer: number): void {
    const row = delivery.get(answer, lane.code)
    switch (row?.state) {
      case STATE.pending:
      case STATE.sending:
      case STATE.held:
        return postpone(bundle, now() + LOOK_MS)
      case STATE.folded:
        if (storms.isStormy(lane)) absorb(lane, bundle)
        return rows.write({ ...bundle, answer: 0, due_at: now() })
      case STATE.sent:
        // A digest tells of the end, and of none of the repeats before it.
        if (row.bundle !== null) return rows.write({ ...bundle, answer: 0, due_at: now() })
        return tell(bundle, { through: bundle.folded, way: 'post', messageId: undefined })
      default:
        return rows.write({ ...bundle, answer: 0, due_at: now() })
    }
  }

  function tell(bundle: RepeatBundle, { through, way, messageId, isLast = false }: ToldRepeats): void {
    const { id, told, destination: code } = bundle
    const { destination } = lanes.ofChannel(code)
    bundles.told(id, { number: bundle.revision + 1, through, way, at: now(), messageId })
    bundles.restartAttempts(id)
    countUntold(counts, code, told - through)
    const outcome = { state: 'sent', way, at: now() } as const
    if (through > told)
      counts.winding = [...counts.winding, { bundle: id, code, repeats: true, after: told, through, outcome }]
    const is = rows.byId(id)
    if (is === undefined) return
    const editable = edits(destination) && is.message_id !== null
    const wanted = editable ? editAtOf(is, now()) : is.posted_at + remindMsOf(rules, is)
    // A new message is the one to edit from now on, with the words of the latest incident.
    const flap = isLast ? FLAP.over : is.flap
    const next = {
      ...is,
      due_at: is.flap === FLAP.ending ? now() : wanted,
      flap,
      ...(way === 'post' && { first_incident: null }),
    }
    rows.write(next)
    if (isDone(next)) close(next)
  }

  /** The provider refuses it for good. */
  function die(bundle: RepeatBundle, reason: string): void {
    const { id, told, folded, destination: code } = bundle
    bundles.close(id, now(), reason)
    rows.forget(bundle)
    notices.raise(lanes.of(code).destination)
    if (folded === told) return
    countUntold(counts, code, told - folded)
    const outcome = { state: 'dead', reason } as const
    counts.winding = [...counts.winding, { bundle: id, code, repeats: true, after: told, through: folded, outcome }]
  }

  function settled(bundle: RepeatBundle, { verdict, attempt }: Settlement): RevisionTold | undefined {
    const lane = lanes.ofChannel(bundle.destination)
    const { way = 'post', through = bundle.folded, isLast = false } = counts.repeats.get(lane.code)?.sending ?? {}
    if (attempt?.outcome === 'gone') {
      rows.write({ ...bundle, message_id: null, first_incident: null, due_at: now() })
      return undefined
    }
    switch (verdict.state) {
      case 'sent':
        // The end of the problem may have told of all meanwhile.
        if (through > bundle.told || isLast) tell(bundle, { through, way, messageId: attempt?.messageId, isLast })
        return { kind: 'digest', channel: lane.destination, way }
      case 'dead':
        if (bundle.folded > bundle.told || isLast) die(bundle, verdict.reason)
        return undefined
      case 'pending':
        postpone(bundle, verdict.at)
        return undefined
      case 'released':
        postpone(bundle, now())
        return undefined
      default:
        return verdict satisfies never
    }
  }

  function claimOne(lane: Lane<ChannelName>): MessageDispatch | undefined {
    rows.flush()
    let dispatch: MessageDispatch | undefined
    for (let left = STEP; left > 0 && dispatch === undefined; left--) {
      const bundle = rows.due(lane.code, now())
      if (bundle === undefined) break
      dispatch = handOut(lane, bundle)
      rows.flush()
    }
    refresh(lane.code)
    return dispatch
  }

  function nextAt({ code }: Pick<DispatchKey, 'code'>): number {
    const repeats = counts.repeats.get(code)
    if (repeats === undefined || repeats.sending !== undefined) return Infinity
    return repeats.dueAt === Infinity ? Infinity : Math.max(repeats.dueAt, repeats.notBefore)
  }

  return {
    nextAt,
    claim(channel, slots) {
      if (counts.repeats.size === 0) return []
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        if (dispatches.length >= slots) break
        const dispatch = nextAt(lane) <= now() ? claimOne(lane) : undefined
        if (dispatch !== undefined) dispatches.push(dispatch)
      }
      return dispatches
    },
    settle(settlement) {
      const { code, number, attempt, verdict } = settlement
      const row = leases.find(settlement)
      if (row === undefined) return false
      rows.flush()
      const bundle = rows.byId(number)
      const attempts = row.earlier_attempts + row.attempts + (attempt === undefined ? 0 : 1)
      leases.end(settlement, row, { state: 'pending', dueAt: null })
      ledger.record(settlement, attempts)
      const lane = lanes.ofChannel(code)
      if (attempt !== undefined) recordAttemptHealth(counts.health[lane.destination], attempt, null)
      const told = bundle && settled(bundle, settlement)
      changeRepeats(counts, code, { sending: undefined })
      const rest = rows.byId(number)
      if (rest !== undefined && isDone(rest)) close(rest)
      refresh(code)
      if (attempt !== undefined && verdict.state !== 'dead') storms.attempted(lane, attempt.outcome !== 'retry')
      return told
    },
    ended({ code }, incident, state) {
      if (!counts.repeats.has(code)) return
      rows.flush()
      if (state === 'sent') {
        const bundle = rows.answeredBy(code, incident)
        if (bundle !== undefined) tell(bundle, { through: bundle.folded, way: 'post', messageId: undefined })
      } else {
        const bundle = rows.startedBy(code, incident)
        // The destination knows nothing of the problem: its repeats are told at once.
        if (bundle !== undefined) rows.write({ ...bundle, due_at: now(), posted_at: 0 })
      }
      refresh(code)
    },
    lose(code) {
      if (counts.repeats.get(code)?.sending !== undefined) changeRepeats(counts, code, { sending: undefined })
    },
  }
}
