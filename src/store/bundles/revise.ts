import type { ChannelName } from '../../domain/delivery.ts'
import type { MessageDispatch, Settlement } from '../../domain/dispatch.ts'
import { nextAt, step } from '../../policy/bundle.ts'
import type { BundleEffect, BundleEvent, BundleKind, RevisionResult, Surroundings } from '../../policy/bundle-state.ts'
import type { Pace } from '../../policy/pace.ts'
import { recordAttemptHealth } from '../deliveries/channel-health.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane, LaneBundles, Winding } from '../engine/counts.ts'
import type { Leases } from '../outbox/lease.ts'
import type { Ledger } from '../outbox/ledger.ts'
import type { Notices } from '../outbox/notices.ts'
import type { RevisionTold } from '../ports/outbox.ts'
import { digestKey, type Records } from './records.ts'
import type { BundleRow, BundleRows } from './rows.ts'

/**
 * Bundles at work: carries out what `step` says of them. To add a kind:
 *
 * 1. Name it in `BundleKind`, give it a number in `BUNDLE_KIND`, and its times in `paceOf`.
 * 2. Place its incidents: `rows.open` with `begun`, then `move` with `placed`. The subject is a text, which may stand for many
 *    problems; whoever places an incident writes its delivery with the number of the bundle and the place.
 * 3. Look at it (`KindRules`): what its message is, and whether something holds it; and compose its message.
 * 4. End it: `move` with `ends`.
 *
 * Claim, retry, settlement, loss, the next due time, what follows when it is told or dead, crash and clock are the same for
 * all, and are here.
 */
export interface Revise {
  /** Takes a step; changes the other columns with it. Returns the effects, which are carried out. */
  move(row: BundleRow, event: BundleEvent, changes?: RowChanges): readonly BundleEffect[]
  /** Makes the untold places of a bundle ones of the open storm's digest. */
  handOver(lane: Lane<ChannelName>, row: BundleRow): void
  /** Leases revisions that are due to a channel, at most one for each destination and `slots` in all. */
  claim(channel: ChannelName, slots: number): MessageDispatch[]
  /** Settles a revision; undefined when none was told, false when it is not leased. */
  settle(settlement: Settlement): RevisionTold | undefined | false
  /** The sender of a revision died. */
  lose(code: number, bundle: number): void
  /** The delivery of an incident ended: a message may have told of places, or none will be there to edit. */
  ended(lane: Lane, incident: number, state: 'sent' | 'dead'): void
  /** Returns the epoch milliseconds of the next claim; Infinity: none is due without another event. */
  nextAt(lane: Lane): number
}

type RowChanges = Partial<Pick<BundleRow, 'messageId' | 'firstIncident' | 'answer' | 'firing'>>

/** What a kind says of a bundle that is due. */
interface Look extends Surroundings {
  /** The provider's id of the message that an edit replaces. */
  readonly messageId?: string
  /** Returns the message of a revision, which covers all places; its key, its attempt and `edits` are set by the caller. */
  compose(way: 'post' | 'edit'): MessageDispatch
}

/** The part of a kind. */
export interface KindRules {
  pace(lane: Lane<ChannelName>, kind: BundleKind): Pace
  /** Undefined: nothing is known any more that a message could say. */
  look(lane: Lane<ChannelName>, row: BundleRow): Look | undefined
  /** Looks what became of the message that tells of the rest. */
  answer(lane: Lane<ChannelName>, row: BundleRow & { readonly answer: number }): 'awaited' | 'sent' | 'lost'
}

interface ReviseDeps {
  readonly rows: BundleRows
  readonly records: Records
  readonly rules: KindRules
  readonly leases: Pick<Leases, 'take' | 'find' | 'end'>
  readonly ledger: Ledger
  readonly notices: Pick<Notices, 'raise'>
  /** Least time between two revisions at a destination. */
  gapMs(channel: ChannelName): number
  /** Makes the next untold places of a bundle ones of the open storm's digest; returns their number. */
  absorb(lane: Lane, from: { readonly id: number; readonly told: number }): number
  /** Records whether the last attempt failed. */
  attempted(lane: Lane, succeeded: boolean): void
}

/** Bundles that one claim looks at. */
const STEP = 16
const NONE: LaneBundles = { untold: 0, dueAt: Infinity, notBefore: 0 }

export function openRevise(context: StoreContext, deps: ReviseDeps): Revise {
  const { counts, lanes, now } = context
  const { rows, records, rules, leases, ledger, notices, gapMs, absorb, attempted } = deps

  function changeLane(code: number, changes: (was: LaneBundles) => Partial<LaneBundles>): void {
    const was = counts.bundles.get(code) ?? NONE
    counts.bundles.set(code, { ...was, ...changes(was) })
  }

  function move(row: BundleRow, event: BundleEvent, changes?: RowChanges): readonly BundleEffect[] {
    const lane = lanes.ofChannel(row.destination)
    const pace = rules.pace(lane, row.bundle.kind)
    const [bundle, effects] = step(row.bundle, event, now(), pace)
    const next = { ...row, ...changes, bundle }
    rows.set(next)
    changeLane(lane.code, ({ untold, dueAt, sending }) => ({
      untold: untold + untoldOf(next) - untoldOf(row),
      dueAt: Math.min(dueAt, nextAt(bundle, pace)),
      sending: bundle.sending !== undefined ? row.id : sending === row.id ? undefined : sending,
    }))
    for (const effect of effects) {
      if (effect.kind === 'told') wind(row, effect.through, { state: 'sent', way: effect.way, at: now() })
      if (effect.kind === 'close' && !effect.dead) records.close(row.id, now(), null)
    }
    return effects
  }

  /** Has the incidents of the places after those that were told concluded. */
  function wind({ id, destination, bundle: { told } }: BundleRow, through: number, outcome: Winding['outcome']): void {
    if (through <= told) return
    counts.winding = [
      ...counts.winding,
      { bundle: id, code: destination, repeats: true, after: told, through, outcome },
    ]
  }

  function handOver(lane: Lane<ChannelName>, row: BundleRow): void {
    // Its revision tells of them; what it does not cover is taken after it is settled.
    if (row.bundle.sending !== undefined || row.bundle.folded === row.bundle.told) return
    rows.flush()
    const count = absorb(lane, { id: row.id, told: row.bundle.told })
    if (count > 0) move(row, { kind: 'taken over', count })
  }

  /** Returns undefined when the bundle was told by other means, or waits. */
  function claimOne(lane: Lane<ChannelName>, row: BundleRow): MessageDispatch | undefined {
    if (row.answer !== null) {
      const answer = rules.answer(lane, { ...row, answer: row.answer })
      return void (answer === 'awaited' ? move(row, { kind: 'answer awaited' }) : answered(row, answer))
    }
    const look = rules.look(lane, row)
    if (look === undefined) return void move(row, { kind: 'ends', how: 'when due' })
    const { message, isSilenced, inStorm, messageId } = look
    const known = messageId === undefined ? undefined : { messageId }
    for (const effect of move(row, { kind: 'claimed', message, isSilenced, inStorm }, known)) {
      if (effect.kind === 'hand over') handOver(lane, rows.find(row.id) ?? row)
      if (effect.kind === 'hand out') return handOut(lane, row, look, effect)
    }
    return undefined
  }

  function handOut(
    lane: Lane<ChannelName>,
    { id }: BundleRow,
    look: Look,
    { way, mayRepeat }: Extract<BundleEffect, { kind: 'hand out' }>,
  ): MessageDispatch {
    const key = digestKey(lane, id)
    leases.take(key)
    changeLane(lane.code, () => ({ notBefore: now() + gapMs(lane.destination) }))
    return {
      ...look.compose(way),
      ...key,
      kind: 'digest',
      destination: lane.destination,
      attempt: (leases.find(key)?.attempts ?? 0) + 1,
      mayDuplicate: mayRepeat,
      dispatchedAt: now(),
      ...(way === 'edit' && look.messageId !== undefined ? { edits: look.messageId } : undefined),
    }
  }

  function answered(row: BundleRow, answer: 'sent' | 'lost'): void {
    if (answer === 'lost') return void move(row, { kind: 'answer lost' }, { answer: null })
    for (const effect of move(row, { kind: 'answer sent' }, { messageId: null, firstIncident: null }))
      if (effect.kind === 'told') records.told(row.id, told(effect, undefined))
  }

  function told({ revision: number, through, way }: Extract<BundleEffect, { kind: 'told' }>, messageId?: string) {
    return { number, through, way, at: now(), messageId }
  }

  function settled(row: BundleRow, settlement: Settlement): RevisionTold | undefined {
    const { verdict, attempt } = settlement
    const result = resultOf(settlement, now())
    const { destination: channel } = lanes.ofChannel(row.destination)
    const way = row.bundle.sending?.way ?? 'post'
    for (const effect of move(row, { kind: 'settled', result }, messageAfter(row, result, attempt?.messageId))) {
      if (effect.kind === 'told') records.told(row.id, told(effect, attempt?.messageId))
      if (effect.kind === 'close' && effect.dead && verdict.state === 'dead') {
        const { reason } = verdict
        records.close(row.id, now(), reason)
        notices.raise(channel)
        wind(row, row.bundle.folded, { state: 'dead', reason })
      }
    }
    return result.state === 'told' ? { kind: 'digest', channel, way } : undefined
  }

  function refresh(code: number): void {
    changeLane(code, () => ({ dueAt: rows.nextDueAt(code) }))
  }

  function claimLane(lane: Lane<ChannelName>): MessageDispatch | undefined {
    let dispatch: MessageDispatch | undefined
    for (let left = STEP; left > 0 && dispatch === undefined; left--) {
      const row = rows.due(lane.code)
      if (row === undefined) break
      dispatch = claimOne(lane, row)
    }
    refresh(lane.code)
    return dispatch
  }

  function nextClaimAt({ code }: Lane): number {
    const { dueAt, notBefore, sending } = counts.bundles.get(code) ?? NONE
    return sending !== undefined || dueAt === Infinity ? Infinity : Math.max(dueAt, notBefore)
  }

  return {
    move,
    handOver,
    nextAt: nextClaimAt,
    claim(channel, slots) {
      if (counts.bundles.size === 0) return []
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        if (dispatches.length >= slots) break
        const dispatch = nextClaimAt(lane) <= now() ? claimLane(lane) : undefined
        if (dispatch !== undefined) dispatches.push(dispatch)
      }
      return dispatches
    },
    settle(settlement) {
      const { code, number, attempt, verdict } = settlement
      const lease = leases.find(settlement)
      if (lease === undefined) return false
      const attempts = lease.earlier_attempts + lease.attempts + (attempt === undefined ? 0 : 1)
      leases.end(settlement, lease, { state: 'pending', dueAt: null })
      ledger.record(settlement, attempts)
      const lane = lanes.ofChannel(code)
      if (attempt !== undefined) recordAttemptHealth(counts.health[lane.destination], attempt, null)
      const row = rows.find(number)
      const told = row && settled(row, settlement)
      refresh(code)
      if (attempt !== undefined && verdict.state !== 'dead') attempted(lane, attempt.outcome !== 'retry')
      return told
    },
    lose(_code, bundle) {
      const row = rows.find(bundle)
      const result = { state: 'pending', at: now(), mayDuplicate: true } as const
      if (row !== undefined) move(row, { kind: 'settled', result })
    },
    ended({ code }, incident, state) {
      if (!counts.bundles.has(code)) return
      if (state === 'sent') {
        const row = rows.answeredBy(code, incident)
        if (row !== undefined) answered(row, 'sent')
      } else {
        // The destination knows nothing of the problem: its repeats are told at once.
        const row = rows.startedBy(code, incident)
        if (row !== undefined) move(row, { kind: 'refused' })
      }
      refresh(code)
    },
  }
}

/** Places that count against the quota. */
const untoldOf = ({ bundle: { state, folded, told } }: BundleRow) =>
  state === 'open' || state === 'ending' ? folded - told : 0

function messageAfter(
  { bundle, messageId }: BundleRow,
  { state }: RevisionResult,
  sent: string | undefined,
): RowChanges {
  if (state === 'gone') return { messageId: null, firstIncident: null }
  if (state !== 'told') return {}
  if (bundle.sending?.way === 'edit') return { messageId: sent ?? messageId }
  // A new message is the one to edit from now on, with the words of the latest incident.
  return { messageId: sent ?? null, firstIncident: null }
}

function resultOf({ verdict, attempt }: Settlement, now: number): RevisionResult {
  if (attempt?.outcome === 'gone') return { state: 'gone' }
  switch (verdict.state) {
    case 'sent':
      return { state: 'told' }
    case 'dead':
      return { state: 'dead' }
    case 'released':
      return { state: 'pending', at: now, mayDuplicate: false }
    case 'pending':
      return { state: 'pending', at: verdict.at, mayDuplicate: attempt?.mayDuplicate ?? false }
    default:
      return verdict satisfies never
  }
}
