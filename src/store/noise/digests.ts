import type { ChannelName } from '../../domain/delivery.ts'
import { type MessageDispatch, RANK, type Settlement } from '../../domain/dispatch.ts'
import { type DigestNotice, digestHeadline } from '../../domain/notice.ts'
import type { RevisionResult, StormEffect } from '../../policy/storm-state.ts'
import type { Bundles } from '../bundles/open.ts'
import { digestKey } from '../bundles/records.ts'
import { recordAttemptHealth } from '../deliveries/channel-health.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import type { Leases } from '../outbox/lease.ts'
import type { Ledger } from '../outbox/ledger.ts'
import type { Notices } from '../outbox/notices.ts'
import { ownMessage } from '../outbox/own-message.ts'
import type { RevisionTold } from '../ports/outbox.ts'
import type { StormBundles } from './bundles.ts'
import { recordChange } from './digest-changes.ts'
import type { openDigestNotice } from './digest-notice.ts'
import type { Kinds } from './kinds.ts'
import type { Storms } from './storms.ts'

interface DigestDeps {
  readonly storms: Storms
  readonly others: Pick<Bundles, 'has' | 'settle' | 'lose'>
  readonly kinds: Kinds
  readonly bundles: StormBundles
  readonly leases: Pick<Leases, 'take' | 'find' | 'end'>
  readonly ledger: Ledger
  readonly notices: Pick<Notices, 'raise'>
  readonly noticeOf: ReturnType<typeof openDigestNotice>
}

type HandOut = Extract<StormEffect, { kind: 'hand out' }>

/** Revisions of digests on their way to the senders and back; those of repeats only back. Inside `write`. */
export interface Digests {
  /** Leases the revisions that are due to a channel, at most `slots`. */
  claim(channel: ChannelName, slots: number): MessageDispatch[]
  /** Returns false when the digest is not leased; undefined when no revision was told. */
  settle(settlement: Settlement): RevisionTold | undefined | false
  /** The sender of a revision died. */
  lose(code: number, bundle: number): void
}

export function openDigests(context: StoreContext, deps: DigestDeps): Digests {
  const { counts, lanes, now } = context
  const { storms, others, kinds, bundles, leases, ledger, notices, noticeOf } = deps

  const bundleOf = ({ code }: Lane) => counts.storms.get(code)?.bundle
  const unfinishedOf = (lane: Lane<ChannelName>) => storms.noiseOf(lane)?.unfinished ?? { singles: 0, urgents: 0 }

  function claimOne(lane: Lane<ChannelName>, bundle: number): MessageDispatch | undefined {
    const toldBefore = counts.storms.get(lane.code)?.state.storm?.told ?? 0
    const effects = storms.move(lane, { kind: 'claimed', unfinished: unfinishedOf(lane) })
    for (const effect of effects) {
      if (effect.kind === 'hand out') return handOut(lane, { bundle, toldBefore }, effect)
      if (effect.kind === 'close') close(lane, bundle, undefined)
    }
    return undefined
  }

  function handOut(
    lane: Lane<ChannelName>,
    { bundle, toldBefore }: { readonly bundle: number; readonly toldBefore: number },
    { revision, mayRepeat, through, way, last }: HandOut,
  ): MessageDispatch {
    storms.flush()
    kinds.handed(bundle)
    const key = digestKey(lane, bundle)
    leases.take(key)
    const row = leases.find(key)
    const notice = noticeOf({
      bundle,
      code: lane.code,
      revision,
      phase: last ? 'over' : 'open',
      mayRepeat,
      added: through - toldBefore,
    })
    const edits = way === 'edit' ? bundles.messageId(bundle) : undefined
    return {
      ...dispatchOf(notice, now()),
      kind: 'digest',
      destination: lane.destination,
      code: lane.code,
      number: bundle,
      attempt: (row?.attempts ?? 0) + 1,
      mayDuplicate: mayRepeat,
      ...(lane.target === undefined ? undefined : { target: lane.target }),
      ...(edits === undefined ? undefined : { edits }),
    }
  }

  function close(lane: Lane<ChannelName>, bundle: number, deadReason: string | undefined): void {
    storms.flush()
    storms.closed(lane)
    const numbers = bundles.numbersOf(bundle)
    recordChange(counts, lane, { digest: bundle, action: deadReason === undefined ? 'over' : 'dead', ...numbers })
    if (bundles.isEmpty(bundle)) {
      kinds.forget()
      return bundles.remove(bundle)
    }
    bundles.close(bundle, now(), deadReason ?? null)
    bundles.prune(now())
    if (deadReason === undefined) return
    const { told, folded } = numbers
    const outcome = { state: 'dead', reason: deadReason } as const
    counts.winding = [...counts.winding, { bundle, code: lane.code, after: told, through: folded, outcome }]
    notices.raise(lane.destination)
  }

  return {
    claim(channel, slots) {
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        if (dispatches.length >= slots) break
        const bundle = bundleOf(lane)
        // Old singles become places although no revision is due: they make the next one due. With some left over, the
        // revision waits for the next turn, which comes at once.
        if (bundle === undefined || storms.foldOld(lane) || storms.nextAt(lane) > now()) continue
        const dispatch = claimOne(lane, bundle)
        if (dispatch !== undefined) dispatches.push(dispatch)
      }
      return dispatches
    },
    settle(settlement) {
      const { code, number: bundle, attempt, verdict } = settlement
      if (others.has(bundle)) return others.settle(settlement)
      const row = leases.find(settlement)
      if (row === undefined) return false
      const lane = lanes.ofChannel(code)
      const attempts = row.earlier_attempts + row.attempts + (attempt === undefined ? 0 : 1)
      const sending = counts.storms.get(code)?.state.storm?.sending
      leases.end(settlement, row, { state: 'pending', dueAt: null })
      ledger.record(settlement, attempts)
      if (attempt !== undefined) recordAttemptHealth(counts.health[lane.destination], attempt, null)
      const result = resultOf(settlement, now())
      if (result.state === 'gone') bundles.forgetMessage(bundle)
      let told: RevisionTold | undefined
      for (const effect of storms.move(lane, { kind: 'settled', result })) {
        if (effect.kind === 'told') {
          const { through, revision: number } = effect
          const way = sending?.way ?? 'post'
          const after = bundles.numbersOf(bundle).told
          bundles.told(bundle, { number, through, way, at: now(), messageId: attempt?.messageId })
          kinds.told(bundle)
          const revision = { number, way }
          recordChange(counts, lane, { digest: bundle, action: 'told', revision, ...bundles.numbersOf(bundle) })
          const outcome = { state: 'sent', way, at: now() } as const
          if (through > after) counts.winding = [...counts.winding, { bundle, code, after, through, outcome }]
          told = { kind: 'digest', channel: lane.destination, way }
        }
        if (effect.kind === 'close')
          close(lane, bundle, effect.dead && verdict.state === 'dead' ? verdict.reason : undefined)
      }
      if (attempt !== undefined && verdict.state !== 'dead') storms.attempted(lane, attempt.outcome !== 'retry')
      return told
    },
    lose(code, bundle) {
      if (others.has(bundle)) return others.lose(code, bundle)
      const result: RevisionResult = { state: 'pending', at: now(), mayDuplicate: true }
      storms.move(lanes.of(code), { kind: 'settled', result })
    },
  }
}

function resultOf({ verdict, attempt }: Settlement, now: number): RevisionResult {
  if (attempt?.outcome === 'gone') return { state: 'gone' }
  switch (verdict.state) {
    case 'sent':
      return { state: 'told', editable: attempt?.messageId !== undefined }
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

function dispatchOf(notice: DigestNotice, now: number) {
  const [loudest] = notice.shown
  return {
    ...ownMessage(now),
    id: `digest-${notice.digest}`,
    incident: 0,
    rank: RANK.digest,
    storm: true,
    notice,
    title: digestHeadline(notice),
    severity: loudest?.level ?? 'warning',
    status: notice.firing > 0 ? 'firing' : 'resolved',
  } as const
}
