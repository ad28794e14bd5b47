import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { MessageDispatch, Settlement } from '../../domain/delivery/dispatch.ts'
import { nextAt, step } from '../../policy/bundles/bundle.ts'
import type { BundleEffect, BundleEvent, BundleKind, Surroundings, Way } from '../../policy/bundles/bundle-state.ts'
import type { Pace } from '../../policy/bundles/pace.ts'
import { recordAttemptHealth } from '../deliveries/channel-health.ts'
import type { Lane, LaneBundles } from '../engine/counts.ts'
import type { StoreParts } from '../parts.ts'
import type { RevisionTold } from '../ports/outbox.ts'
import { digestKey, type Records } from './records.ts'
import { type BundleRow, type BundleRows, settledOf } from './rows.ts'
import { messageAfter, resultOf, untoldOf } from './settled.ts'

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
export type Revise = ReturnType<typeof openRevise>

interface RowChanges extends Partial<Pick<BundleRow, 'messageId' | 'firstIncident' | 'answer' | 'firing' | 'group'>> {
  /** The provider's id of the revision that was told. */
  readonly sentAs?: string | undefined
}
type Told = Extract<BundleEffect, { kind: 'told' }> & { readonly messageId: string | undefined }
export type HandOut = Extract<BundleEffect, { kind: 'hand out' }>

/** What a kind says of a bundle that is due. */
interface Look extends Surroundings {
  readonly calmAt?: number
  /** The provider's id of the message that an edit replaces. */
  readonly messageId?: string
  /** Returns the message of a revision, which covers all places; its key, its attempt and `edits` are set by the caller. */
  compose(handOut: HandOut): MessageDispatch
}

/** The part of a kind. */
export interface KindRules {
  /** Undefined: nothing is known any more that a message could say. */
  look(lane: Lane<ChannelName>, row: BundleRow): Look | undefined
  /** Looks what became of the message that tells of the rest. */
  answer?(lane: Lane<ChannelName>, row: BundleRow & { readonly answer: number }): 'awaited' | 'sent' | 'lost'
  /** A revision was told. `row`: after that. */
  told?(lane: Lane<ChannelName>, row: BundleRow, way: Way): void
  /** It is finished; `reason`: the provider refused it. */
  closed?(lane: Lane<ChannelName>, row: BundleRow, reason: string | null): void
}

interface ReviseDeps {
  readonly rows: BundleRows
  readonly records: Records
  readonly kinds: { readonly [kind in BundleKind]: KindRules }
  pace(lane: Lane<ChannelName>, row: Pick<BundleRow, 'bundle' | 'group'>): Pace
  /** Least time between two revisions at a destination, but for storms. */
  gapMs(channel: ChannelName): number
  /** Makes the next untold places of a bundle ones of the open storm's digest, or of the group that has its message; returns their number. */
  absorb(lane: Lane<ChannelName>, from: BundleRow): number
  /** Records whether the last attempt failed. */
  attempted(lane: Lane, succeeded: boolean): void
}

/** Bundles that one claim looks at. */
const STEP = 16
/** Bundles whose places one claim gives to a storm. */
const HANDED_OVER = 256
const EDITS = ['edit', 'follow-up'] as const
const NONE: LaneBundles = { inStorm: 0, untold: 0, dueAt: Infinity, notBefore: 0 }

export function openRevise(context: StoreParts, deps: ReviseDeps) {
  const { counts, lanes, now, leases, ledger, notices } = context
  const { rows, records, kinds, pace: paceAt, gapMs, absorb, attempted } = deps

  function changeLane(code: number, changes: (was: LaneBundles) => Partial<LaneBundles>): void {
    const was = counts.bundles.get(code) ?? NONE
    counts.bundles.set(code, { ...was, ...changes(was) })
  }

  /** Takes a step; changes the other columns with it. Returns the effects; revisions are for the caller. */
  function move(row: BundleRow, event: BundleEvent, { sentAs, ...changes }: RowChanges = {}): readonly BundleEffect[] {
    const lane = lanes.ofChannel(row.destination)
    const pace = paceAt(lane, row)
    const [bundle, effects] = step(row.bundle, event, now(), pace)
    const next = { ...row, ...changes, bundle }
    rows.set(next)
    count(row, next, nextAt(bundle, pace))
    for (const effect of effects) {
      if (effect.kind === 'told') told(lane, next, { ...effect, messageId: sentAs })
      if (effect.kind === 'close' && !effect.dead) close(lane, next, null)
    }
    return effects
  }

  function count(row: BundleRow, next: BundleRow, dueAt: number): void {
    const untold = untoldOf(next) - untoldOf(row)
    counts.winding += settledOf(next.bundle) - settledOf(row.bundle)
    if (row.bundle.kind === 'storm')
      return changeLane(row.destination, ({ inStorm }) => ({ inStorm: inStorm + untold }))
    changeLane(row.destination, (was) => ({
      untold: was.untold + untold,
      dueAt: Math.min(was.dueAt, dueAt),
      sending: next.bundle.sending !== undefined ? row.id : was.sending === row.id ? undefined : was.sending,
    }))
  }

  function close(lane: Lane<ChannelName>, row: BundleRow, reason: string | null): void {
    kinds[row.bundle.kind].closed?.(lane, row, reason)
    if (row.bundle.folded > 0) return records.close(row.id, now(), reason)
    records.remove(row.id)
    rows.removed(row.id)
  }

  /** Makes the untold places of a bundle ones of the open storm's digest, or of the group that has its message. */
  function handOver(lane: Lane<ChannelName>, row: BundleRow): void {
    // Its revision tells of them; what it does not cover is taken after it is settled.
    if (row.bundle.sending !== undefined || row.bundle.folded === row.bundle.told) return
    rows.flush()
    const taken = absorb(lane, row)
    if (taken > 0) move(row, { kind: 'taken over', count: taken })
  }

  /** Returns undefined when the bundle was told by other means, or waits. */
  function claimOne(lane: Lane<ChannelName>, row: BundleRow): MessageDispatch | undefined {
    const rules = kinds[row.bundle.kind]
    if (row.answer !== null) {
      const answer = rules.answer?.(lane, { ...row, answer: row.answer }) ?? 'lost'
      return void (answer === 'awaited' ? move(row, { kind: 'answer awaited' }) : answered(row, answer))
    }
    const look = rules.look(lane, row)
    if (look === undefined) return void move(row, { kind: 'ends', how: 'when due' })
    const { message, isSilenced, isTaken, calmAt, messageId } = look
    const event = {
      kind: 'claimed',
      message,
      isSilenced,
      isTaken,
      ...(calmAt === undefined ? {} : { calmAt }),
    } as const
    const known = messageId === undefined ? undefined : { messageId }
    for (const effect of move(row, event, known)) {
      if (effect.kind === 'hand over') handOver(lane, rows.find(row.id) ?? row)
      if (effect.kind === 'hand out') return handOut(lane, row, look, effect)
    }
    return undefined
  }

  function handOut(lane: Lane<ChannelName>, { id, bundle }: BundleRow, look: Look, effect: HandOut): MessageDispatch {
    const key = digestKey(lane, id)
    leases.take(key)
    if (bundle.kind !== 'storm') changeLane(lane.code, () => ({ notBefore: now() + gapMs(lane.destination) }))
    return {
      ...look.compose(effect),
      ...key,
      kind: 'digest',
      destination: lane.destination,
      attempt: (leases.find(key)?.attempts ?? 0) + 1,
      mayDuplicate: effect.mayRepeat,
      dispatchedAt: now(),
      ...(effect.way === 'edit' && look.messageId !== undefined ? { edits: look.messageId } : undefined),
    }
  }

  function answered(row: BundleRow, answer: 'sent' | 'lost'): void {
    if (answer === 'lost') return void move(row, { kind: 'answer lost' }, { answer: null })
    move(row, { kind: 'answer sent' }, { messageId: null, firstIncident: null })
  }

  function told(lane: Lane<ChannelName>, row: BundleRow, { revision, through, way, messageId }: Told): void {
    records.told(row.id, { number: revision, through, way, at: now(), messageId })
    kinds[row.bundle.kind].told?.(lane, row, way)
  }

  function settled(row: BundleRow, settlement: Settlement): RevisionTold | undefined {
    const { verdict, attempt } = settlement
    const result = resultOf(settlement, now())
    const lane = lanes.ofChannel(row.destination)
    const way = row.bundle.sending?.way ?? 'post'
    const sentAs = attempt?.messageId
    const changes = { ...messageAfter(row, result, sentAs), sentAs }
    for (const effect of move(row, { kind: 'settled', result }, changes)) {
      if (effect.kind !== 'close' || !effect.dead || verdict.state !== 'dead') continue
      close(lane, rows.find(row.id) ?? row, verdict.reason)
      notices.raise(lane.destination)
    }
    return result.state === 'told' ? { kind: 'digest', channel: lane.destination, way } : undefined
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
    // An edit that is with its sender has the numbers of before, and may arrive later.
    const isEditing = EDITS.some((kind) => (counts.queues[kind].get(code)?.sending ?? 0) > 0)
    return sending !== undefined || isEditing || dueAt === Infinity ? Infinity : Math.max(dueAt, notBefore)
  }

  /** In a storm, makes what is due ones of its digest: nothing is handed out. */
  function handOverDue(lane: Lane<ChannelName>): void {
    if ((counts.bundles.get(lane.code)?.dueAt ?? Infinity) > now()) return
    for (let left = HANDED_OVER; left > 0; left--) {
      const row = rows.due(lane.code)
      if (row === undefined) break
      claimOne(lane, row)
    }
    refresh(lane.code)
  }

  return {
    move,
    handOver,
    claimOne,
    handOverDue,
    /** Leases revisions that are due to a channel, at most one for each destination and `slots` in all; none of a storm. */
    claim(channel: ChannelName, slots: number): MessageDispatch[] {
      if (counts.bundles.size === 0) return []
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        if (dispatches.length >= slots) break
        const dispatch = nextClaimAt(lane) <= now() ? claimLane(lane) : undefined
        if (dispatch !== undefined) dispatches.push(dispatch)
      }
      return dispatches
    },
    /** Settles a revision; undefined when none was told, false when it is not leased. */
    settle(settlement: Settlement): RevisionTold | undefined | false {
      const { code, number, attempt, verdict } = settlement
      const lease = leases.find(settlement)
      if (lease === undefined) return false
      const attempts = lease.earlier_attempts + lease.attempts + (attempt === undefined ? 0 : 1)
      leases.end(settlement, lease, { state: 'pending', dueAt: null })
      ledger.record(settlement, attempts)
      const lane = lanes.ofChannel(code)
      if (attempt !== undefined) recordAttemptHealth(counts.health[lane.destination], attempt, null)
      const row = rows.find(number)
      const revision = row && settled(row, settlement)
      refresh(code)
      if (attempt !== undefined && verdict.state !== 'dead') attempted(lane, attempt.outcome !== 'retry')
      return revision
    },
    /** The sender of a revision died. */
    lose(bundle: number): void {
      const row = rows.find(bundle)
      const result = { state: 'pending', at: now(), mayDuplicate: true } as const
      if (row !== undefined) move(row, { kind: 'settled', result })
    },
    /** The delivery of an incident ended: a message may have told of places, or none will be there to edit. */
    ended({ code }: Lane, incident: number, state: 'sent' | 'dead'): void {
      if (!counts.bundles.has(code)) return
      if (state === 'sent') {
        const row = rows.answeredBy(code, incident)
        if (row !== undefined) answered(row, 'sent')
        const first = counts.openGroups > 0 ? rows.startedBy(code, incident, 'group') : undefined
        if (first !== undefined) move(first, { kind: 'stands' })
      } else {
        // The destination knows nothing of the problem: its repeats are told at once.
        for (const kind of ['repeats', 'group'] as const) {
          const row = rows.startedBy(code, incident, kind)
          if (row !== undefined) move(row, { kind: 'refused' })
        }
      }
      refresh(code)
    },
    /** Returns the epoch milliseconds of the next claim; Infinity: none is due without another event. */
    nextAt: nextClaimAt,
  }
}
