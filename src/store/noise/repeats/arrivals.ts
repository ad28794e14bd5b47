import type { ChannelName } from '../../../domain/delivery.ts'
import type { Problem, ProblemAlert } from '../../../policy/problem.ts'
import { isAcknowledged, isRepeat, nextEditAt } from '../../../policy/repeat.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { type Arriving, alertOfDraft } from '../../problems/arrived.ts'
import type { Problems } from '../../problems/problems.ts'
import type { Tellings } from '../../tellings/tellings.ts'
import type { Placement } from '../storms.ts'
import type { FlapArrival, Flaps } from './flaps.ts'
import { changeRepeats, countUntold } from './lane-repeats.ts'
import { FLAP, type RepeatBundle, type RepeatRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'

/** A place of a delivery, or that a silence keeps it. */
type Placed = Placement | { readonly kind: 'held' | 'silenced' }

/** How an incident stands to its problem. */
export interface Recurrence {
  /** Its problem fires already. */
  readonly isRepeat: boolean
  /** A person has acknowledged its problem: it pages nobody. */
  readonly isAcknowledged: boolean
  /** Since when its problem flaps, epoch milliseconds: the pager is told once, and of the end when that is over. */
  readonly flapSince: number | undefined
  /** Returns its place beside the first message of its problem; undefined: it is placed like any other incident. */
  place(lane: Lane<ChannelName>): Placement | undefined
  /** Records where an incident was placed. */
  placed(lane: Lane<ChannelName>, placement: Placed): void
}

interface ArrivalDeps {
  readonly rules: RepeatRules
  readonly rows: RepeatRows
  readonly problems: Pick<Problems, 'find'>
  readonly tellings: Pick<Tellings, 'firstMessage'>
  readonly flaps: Pick<Flaps, 'isEnabled' | 'arrive'>
  /** The destination takes no more repeats now: they are placed like any other incident. */
  isClosed(lane: Lane<ChannelName>): boolean
  /** The channel can edit its messages. */
  edits(channel: ChannelName): boolean
  /** Makes the untold places of a bundle ones of the storm's digest. */
  absorb(lane: Lane<ChannelName>, bundle: RepeatBundle): void
  /** Closes a bundle of which everything is told. */
  close(bundle: RepeatBundle): void
}

/** From the answer to the first look at what became of it, if nothing else tells. */
const LOOK_MS = 60_000

/**
 * Opens the look at an incident that is about to be applied; it returns undefined while every incident is a message. Inside
 * `write`.
 */
export function openRepeatArrivals(context: StoreContext, deps: ArrivalDeps) {
  const { counts, now } = context
  const { rules, rows, problems, tellings, flaps, isClosed, edits, absorb, close } = deps

  const nextAt = ({ destination }: Lane<ChannelName>, toldAt: number, since: number) =>
    edits(destination) ? nextEditAt(toldAt, since) : toldAt + rules.remindMs

  function end(bundle: RepeatBundle, answer: number): void {
    bundle.answer = answer
    rows.changed(bundle)
    if (bundle.folded === bundle.told) close(bundle)
  }

  /** Returns the bundle of the problem; one of an earlier time that it fired is ended. */
  function current(
    lane: Lane<ChannelName>,
    { fingerprint, since, flap }: { fingerprint: string; since: number; flap: number | null },
  ): RepeatBundle | undefined {
    const bundle = rows.find(lane.code, fingerprint)
    if (bundle === undefined || (bundle.since === since && bundle.flap === flap)) return bundle
    end(bundle, 0)
    return undefined
  }

  function begin(lane: Lane<ChannelName>, problem: Problem) {
    const { fingerprint, openedAt: since, lastAt: postedAt } = problem
    const first = tellings.firstMessage(lane.code, problem)
    if (first === undefined) return undefined
    const dueAt = nextAt(lane, postedAt, since)
    return rows.open(lane, {
      fingerprint,
      since,
      firstIncident: first.incident,
      messageId: first.messageId,
      dueAt,
      postedAt,
      flap: null,
    })
  }

  function fold(lane: Lane<ChannelName>, bundle: RepeatBundle): Placement {
    bundle.folded++
    rows.changed(bundle)
    countUntold(counts, lane.code, 1)
    const dueAt = counts.repeats.get(lane.code)?.dueAt ?? Infinity
    if (bundle.due_at < dueAt) changeRepeats(counts, lane.code, { dueAt: bundle.due_at })
    const [{ destination }, by] = [lane, bundle.flap === null ? 'repeated' : 'flapped'] as const
    counts[by] = { ...counts[by], [destination]: (counts[by][destination] ?? 0) + 1 }
    return { kind: 'fold', bundle: bundle.id, place: bundle.folded }
  }

  /** The message of this incident is the one to edit from now on. */
  function isNews(lane: Lane<ChannelName>, bundle: RepeatBundle, incident: number): void {
    const due_at = nextAt(lane, now(), bundle.since)
    Object.assign(bundle, { first_incident: incident, message_id: null, posted_at: now(), due_at })
    rows.changed(bundle)
  }

  function answered(lane: Lane<ChannelName>, bundle: RepeatBundle, { kind }: Placed, incident: number) {
    if (kind === 'fold') {
      absorb(lane, bundle)
      return end(bundle, 0)
    }
    if (kind !== 'single') return end(bundle, 0)
    bundle.due_at = now() + LOOK_MS
    end(bundle, incident)
  }

  const flapping = ({ fingerprint, status }: ProblemAlert, { since, news }: FlapArrival): Recurrence => ({
    isRepeat: news === undefined,
    isAcknowledged: false,
    flapSince: since,
    place(lane) {
      if (news !== undefined || isClosed(lane)) return undefined
      const of = { fingerprint, since, flap: FLAP.lasts }
      const untold = { firstIncident: null, messageId: null, dueAt: now(), postedAt: 0 }
      const bundle = current(lane, of) ?? rows.open(lane, { ...of, ...untold })
      if (status === 'firing') bundle.firing++
      return fold(lane, bundle)
    },
    placed() {},
  })

  return function look(arriving: Arriving): Recurrence | undefined {
    const { incident, committedAt, draft } = arriving
    // One that comes again from quarantine is older than its problem.
    if ((rules.mode === 'each' && !flaps.isEnabled) || incident <= counts.appliedUpTo) return undefined
    const alert = alertOfDraft(arriving)
    const problem = problems.find(alert.fingerprint)
    const flap = flaps.arrive(alert, problem)
    if (flap !== undefined) return flapping(alert, flap)
    if (rules.mode === 'each') return undefined
    if (problem === undefined) return UNKNOWN
    const repeats = isRepeat(problem, alert)
    const { fingerprint, openedAt } = problem
    return {
      isRepeat: repeats,
      flapSince: undefined,
      isAcknowledged: repeats && isAcknowledged(problem, committedAt),
      place(lane) {
        if (!repeats || isClosed(lane)) return undefined
        const bundle = current(lane, { fingerprint, since: openedAt, flap: null }) ?? begin(lane, problem)
        return bundle && fold(lane, bundle)
      },
      placed(lane, placement) {
        const bundle = rows.find(lane.code, fingerprint)
        if (bundle === undefined) return
        if (draft.status === 'resolved') answered(lane, bundle, placement, incident)
        else if (problem.state === 'resolved') end(bundle, 0)
        else if (placement.kind === 'single') isNews(lane, bundle, incident)
      },
    }
  }
}

const UNKNOWN: Recurrence = {
  isRepeat: false,
  isAcknowledged: false,
  flapSince: undefined,
  place: () => undefined,
  placed() {},
}
