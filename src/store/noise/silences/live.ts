import type { Subject } from '../../../policy/fields.ts'
import { keyOf } from '../../../policy/silences/equal.ts'
import type { CompiledSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import { withoutNul } from '../../engine/statement.ts'

/**
 * Makers of a silence. Those of the configuration follow it; a cause makes the children of a silence with `equal`; an
 * `answer` is a press on a message.
 */
export type SilenceOrigin = 'config' | 'api' | 'cause' | 'answer'

/** The window that is open. Epoch milliseconds. */
export interface OpenWindow {
  readonly from: number
  readonly to: number
  /** The reminder of its end was raised. */
  readonly reminded: boolean
  /** Of one until resolved: from then on no problem flaps that kept it; it is quiet if none fires. */
  readonly quietAt: number | undefined
  /** Number of the last incident that was applied when it opened. */
  readonly openedAfter: number
  /** Number of the last incident whose waiting deliveries are held; those up to `openedAfter` follow in steps. */
  readonly heldThrough: number
}

/** A silence that has not ended; replaced as a whole. */
export interface LiveSilence {
  readonly id: number
  readonly origin: SilenceOrigin
  readonly settings: SilenceSettings
  /** A window of one with `while` is active only while a cause fires. */
  readonly compiled: CompiledSilence
  readonly window: OpenWindow | undefined
  /** Its causes, or keepers, are to be found among the problems that fire, above this number; undefined: they are known. */
  readonly causesAfter: number | undefined
  /** When its state has to be looked at again, epoch milliseconds. */
  readonly edgeAt: number
}

/**
 * A window that has closed, and that holds something still; replaced as a whole. `told` and `heldOn` count what became of
 * the problems of a destination so far. Without accounts only holds of problems that are over are left.
 */
export interface ClosedWindow {
  readonly silence: number
  readonly name: string
  readonly owner: string
  /** Epoch milliseconds. */
  readonly endsAt: number
  /** What is held of incidents below this number was told. */
  readonly after: number
  readonly accounts: readonly {
    readonly destination: number
    readonly alerts: number
    readonly problems: number
    readonly told: number
    readonly heldOn: number
  }[]
}

/** All silences that have not ended; replaced as a whole. */
type LiveSilences = ReturnType<typeof liveSilences>

export function liveSilences(all: readonly LiveSilence[]) {
  const active = all.filter(({ window }) => window !== undefined)
  const children = new Map<number, Map<string, LiveSilence>>()
  let childCount = 0
  for (const live of all) {
    const { parent } = live.settings
    if (parent === undefined) continue
    childCount++
    const siblings = children.get(parent.silence) ?? new Map<string, LiveSilence>()
    children.set(parent.silence, siblings.set(keyOf(parent.values), live))
  }
  return {
    all,
    /** Silences with an open window. */
    active,
    /** Active ones that are compared with every incident: neither children nor of one problem. */
    compared: active.filter(({ settings: { parent, problem } }) => parent === undefined && problem === undefined),
    /** Those of one problem by its fingerprint. */
    ofProblem: Map.groupBy(
      all.filter(({ settings }) => settings.problem !== undefined),
      ({ settings }) => settings.problem?.fingerprint ?? '',
    ),
    /** Active ones that do not hold yet all that waited when their windows opened. */
    opening: active.filter(({ window }) => window !== undefined && window.heldThrough < window.openedAfter),
    /** Silences that are in force while problems fire, without children. */
    causal: all.filter(({ settings }) => settings.while !== undefined && settings.parent === undefined),
    /** Those that each incident may begin or cease to keep in force: with `while` or until resolved, not of one problem. */
    followed: all.filter(({ settings }) => isFollowed(settings) && settings.problem === undefined),
    /** Children by the number of their silence and `keyOf` their values. */
    children,
    childrenOf: (id: number): LiveSilence[] => [...(children.get(id)?.values() ?? [])],
    childCount,
    find: (id: number): LiveSilence | undefined => all.find((live) => live.id === id),
    /** The earliest edge; infinity without silences. */
    edgeAt: all.reduce((earliest, { edgeAt }) => Math.min(earliest, edgeAt), Number.POSITIVE_INFINITY),
  }
}

/** Problems keep it in force. Those of a child are found by its silence. */
export const isFollowed = ({ while: causes, parent, untilResolved }: SilenceSettings): boolean =>
  untilResolved || (causes !== undefined && parent === undefined)

export const NO_SILENCES = liveSilences([])

/** Returns the silences that a problem may begin or cease to keep in force. */
export function followers({ followed, ofProblem }: LiveSilences, fingerprint: string): readonly LiveSilence[] {
  const own = ofProblem.get(fingerprint)?.filter(({ settings }) => settings.untilResolved) ?? []
  return [...followed, ...own]
}

/** Returns the active silences that fit an incident. Those of one problem, and children, are found by its values. */
export function fittingSilences(live: LiveSilences, subject: Subject): LiveSilence[] {
  const { compared, ofProblem, causal, children } = live
  const itsOwn = ofProblem.get(withoutNul(subject.fingerprint)) ?? []
  const own = [
    ...itsOwn.filter(({ window }) => window !== undefined),
    ...compared.filter(({ compiled }) => compiled.fits(subject)),
  ]
  if (children.size === 0) return own
  for (const { id, compiled } of causal) {
    const siblings = children.get(id)
    const values = siblings && compiled.sharedValues(subject)
    const child = values && siblings.get(keyOf(values))
    if (child?.window !== undefined && child.compiled.fits(subject)) own.push(child)
  }
  return own
}

const MINUTE_MS = 60_000
/** Of a silence until resolved that does not say how long it is to be quiet. */
export const QUIET_MS = 10 * MINUTE_MS
/** Windows of this length or longer have a reminder. */
const REMINDED_MS = 60 * MINUTE_MS
/** A clock that is set back to a time before the window, by this much at most, leaves it open: it begins again soon. */
const TOLERANCE_MS = 24 * 60 * MINUTE_MS

/** Change of a silence that is due at a moment. */
type Edge = 'open' | 'close' | 'prolong' | 'quiet' | 'remind' | 'end' | 'none'

/** Decides by the wall clock, also when that was set. `reminderMs`: time of the reminder before the end. */
export function edgeOf({ window, settings, compiled }: LiveSilence, now: number, reminderMs: number): Edge {
  if (window === undefined) {
    const { active, until } = compiled.windowAt(now)
    if (active) return 'open'
    return until === Number.POSITIVE_INFINITY ? 'end' : 'none'
  }
  if (now < window.from - TOLERANCE_MS || lacksCause({ settings, compiled }, now)) return 'close'
  if (now >= window.to) return compiled.windowAt(now).active ? 'prolong' : 'close'
  if (now >= quietEnd({ window, settings, compiled })) return 'quiet'
  return now >= reminderAt(window, reminderMs) ? 'remind' : 'none'
}

/** Returns when the next edge comes without another event. */
export function nextEdgeAt(
  { window, settings, compiled, causesAfter }: Omit<LiveSilence, 'edgeAt'>,
  now: number,
  reminderMs: number,
): number {
  if (causesAfter !== undefined || (window !== undefined && lacksCause({ settings, compiled }, now))) return now
  if (window === undefined) {
    const { active, until } = compiled.windowAt(now)
    return active ? now : until
  }
  return Math.min(window.to, quietEnd({ window, settings, compiled }), reminderAt(window, reminderMs))
}

/** Returns when a silence until resolved ends, unless a problem begins to keep it; Infinity: one does, or it is none. */
export const quietEnd = ({
  window,
  settings,
  compiled,
}: Pick<LiveSilence, 'window' | 'settings' | 'compiled'>): number =>
  settings.untilResolved && window?.quietAt !== undefined && !compiled.isKept()
    ? window.quietAt + (settings.quietMs ?? QUIET_MS)
    : Infinity

const lacksCause = ({ settings, compiled }: Pick<LiveSilence, 'settings' | 'compiled'>, now: number) =>
  settings.while !== undefined && !compiled.windowAt(now).active

function reminderAt({ from, to, reminded }: OpenWindow, reminderMs: number): number {
  return reminded || to - from < REMINDED_MS ? Infinity : to - reminderMs
}
