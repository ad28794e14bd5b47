import { CodedError } from '../../../domain/errors.ts'
import type { SilenceSettings } from '../../../policy/silences/settings.ts'
import type { Copies } from '../../answers/copies.ts'
import { DESTINATION_CODE } from '../../engine/column-codes.ts'
import type { Write } from '../../engine/transaction.ts'
import type { StoreParts } from '../../parts.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { SilenceRules } from '../../ports/silences.ts'
import type { Telling } from '../../tellings/rows.ts'
import type { NoiseParts } from '../noise.ts'
import { openArrivals } from './arrivals.ts'
import { openHolding } from './holding.ts'
import type { LiveSilence } from './live.ts'
import { openPreview } from './preview.ts'
import { openSilenceRecords } from './records.ts'
import { openRelease } from './release.ts'
import { openSilenceRows } from './rows.ts'
import { openSilences } from './silences.ts'

const MAX_LIVE = 1_000

interface SilencesDeps {
  readonly copies: Pick<Copies, 'changed'>
  readonly write: Write
  /** Hears of each silence that an operator made, changed or, with `by`, ended, in the same transaction. */
  recorded(id: number, settings: SilenceSettings, by?: string): void
}

/** Silences of one problem that presses on messages make. Inside `write`, once silences are started. */
export type PressedSilences = ReturnType<typeof openNoiseSilences>['pressed']
/** Silences. Store thread; those that change something are transactions of their own. */
export type SilencePort = ReturnType<typeof openNoiseSilences>['silencePort']
export type SilenceState = ReturnType<SilencePort['state']>

/** Opens the silences, what they hold, and their port. */
export function openNoiseSilences(context: NoiseParts, deps: SilencesDeps) {
  const { db, counts, now, problems } = context
  const rows = openSilenceRows(db)
  const holding = openHolding(context)
  const release = openRelease(context, rows)
  const silences = openSilences(context, { rows, holding, release, over: openOver(context, deps.copies) })
  const records = openSilenceRecords(context, rows)
  const preview = openPreview(context, silences.compiledOf)
  const oldestCritical = db.query<{ at: number }>(
    `SELECT first_at AS at FROM tellings WHERE held IS NOT NULL AND level = 0 AND destination <> ${DESTINATION_CODE.oncall}
     ORDER BY first_at LIMIT 1`,
  )
  const { write } = deps

  /** Returns the live silence; undefined: none has the number. */
  function changeable(id: number) {
    const live = silences.find(id)
    if (live === undefined) {
      if (rows.find(id) === undefined) return undefined
      throw new CodedError('silence_expired', 'the silence has ended: make a new one')
    }
    const { parent } = live.settings
    if (parent !== undefined)
      throw new CodedError(
        'bad_parameter',
        `a cause made the silence: change silence ${parent.silence}, which it belongs to`,
      )
    if (live.origin === 'config')
      throw new CodedError(
        'bad_parameter',
        `the silence is part of the configuration: change it in ${live.settings.where}`,
      )
    return live
  }

  /** `oncall`: timers that were held or armed by it. */
  const changed = (id: number, oncall: ReturnType<typeof silences.tick>) => {
    const silence = records.record(id)
    if (silence === undefined) throw new Error(`silence ${id} has no row`)
    return { silence, oncall }
  }

  const isFull = () => counts.silences.all.length - counts.silences.childCount >= MAX_LIVE

  const silencePort = {
    /** A silence of an earlier life has not ended: `start` is needed before the first turn. */
    hasLive: rows.hasLive,
    isStarted: silences.isStarted,
    /** Compiles what is stored and follows the configuration; ends windows that a stop of the service skipped. Once. */
    start: (rules: SilenceRules): readonly OncallChange[] => write(() => silences.start(rules)),
    /**
     * Adds a silence, after `start`. Throws `bad_parameter` when 1,000 are live, and `silence_too_broad` when it would have
     * held more than half of the incidents of the last 24 hours and `broad` is not true.
     */
    add(settings: SilenceSettings, broad: boolean) {
      if (isFull()) throw new CodedError('bad_parameter', `there are ${MAX_LIVE} silences: end some of them first`)
      const effect = preview(settings)
      if (effect.broad && !broad) throw new CodedError('silence_too_broad', tooBroad(effect))
      return write(() => {
        const id = silences.add(settings)
        deps.recorded(id, settings)
        return { ...changed(id, silences.tick(false)), preview: effect }
      })
    },
    /**
     * Replaces the settings of a live silence. Undefined: no such silence. Throws `silence_expired` for one that has ended,
     * `bad_parameter` for one of the configuration.
     */
    change(id: number, settings: SilenceSettings) {
      const was = changeable(id)?.settings
      if (was === undefined) return undefined
      const isMoved = was.endsAt !== settings.endsAt || was.untilResolved !== settings.untilResolved
      return write(() => {
        silences.change(id, settings)
        // The request does not say who sent it.
        if (isMoved) deps.recorded(id, { ...settings, owner: 'an operator' })
        return changed(id, silences.tick(true))
      })
    },
    /** Ends a silence now. Results and errors as of `change`. */
    end(id: number, by: string) {
      const live = changeable(id)
      if (live === undefined) return undefined
      return write(() => {
        silences.end(id, by)
        deps.recorded(id, live.settings, by)
        return changed(id, silences.tick(false))
      })
    },
    /** Undefined: no such silence. */
    settings: (id: number): SilenceSettings | undefined => silences.find(id)?.settings,
    list: records.list,
    detail: records.detail,
    /** `live`: leaves out those that have ended. `id`: that one alone. */
    plain: records.plain,
    /** Looks at the stored incidents of the last 24 hours: at most 20,000, and for half a second. */
    preview,
    /** Snapshot for metrics. */
    state() {
      const at = counts.silences.active.length === 0 ? null : (oldestCritical.get()?.at ?? null)
      return {
        active: counts.silences.active.filter(({ settings }) => settings.parent === undefined).length,
        /** Live ones that causes of those with `equal` made. */
        children: counts.silences.childCount,
        /** Deliveries and timers that wait for the end of a silence. */
        held: counts.held.deliveries + counts.held.timers,
        /** For how long the oldest critical problem has been held, in milliseconds; 0: none is. */
        criticalMs: at === null ? 0 : Math.max(0, now() - at),
      }
    },
  }
  const pressed = {
    /** Returns the live one of a problem, or its live one with a number, whoever made that; undefined: none is. */
    find(problem: number, silence?: number): LiveSilence | undefined {
      const fingerprint = problems.numbered(problem)?.fingerprint
      const own = fingerprint === undefined ? undefined : counts.silences.ofProblem.get(fingerprint)
      return own?.find(({ id, origin }) => (silence === undefined ? origin === 'answer' : id === silence))
    },
    /** As many are live as may be. */
    isFull,
    /** Makes one of settings with `ofProblem`; returns its number, and the timers that it holds. */
    add(settings: SilenceSettings): { readonly id: number; readonly oncall: readonly OncallChange[] } {
      const id = silences.add(settings, 'answer')
      return { id, oncall: silences.tick(false) }
    },
    /** Replaces the settings, such as the end. */
    change(id: number, settings: SilenceSettings): readonly OncallChange[] {
      silences.change(id, settings)
      return silences.tick(true)
    },
    end(id: number, by: string): readonly OncallChange[] {
      silences.end(id, by)
      return silences.tick(false)
    },
  }
  return {
    pressed,
    silences: { ...silences, holdDueTimers: holding.dueTimers },
    arrive: openArrivals(context, holding),
    /** Ends what silences hold of a problem that an operator resolved. */
    endHolds(fingerprint: string) {
      if (counts.silences.active.length + counts.releasing.length === 0) return
      const problem = problems.numberOf(fingerprint)
      if (problem !== undefined) holding.resolved(problem, Number.POSITIVE_INFINITY)
    },
    holdDue: holding.due,
    silencePort,
  }
}

const tooBroad = ({ incidents, looked_at }: { readonly incidents: number; readonly looked_at: number }) =>
  `the silence would have held ${incidents} of the last ${looked_at} incidents: narrow its conditions, or send "broad": true`

/** Problems that fire on, of which the end of one silence tells in their threads, at most. */
const MAX_SAID = 64

/**
 * Opens what is said when the time of a silence is over while its problems fire on: what it held is sent, and the threads of
 * the others get a line. Of silences of one problem, and of those until resolved. Before its window closes, inside `write`.
 */
function openOver({ tellings, causes, problems, followUps }: StoreParts, copies: Pick<Copies, 'changed'>) {
  return function over({ id, window, settings: { problem: own, untilResolved } }: LiveSilence): void {
    if (window === undefined) return
    const kept = untilResolved && own === undefined ? [...causes.of(id)].slice(-MAX_SAID).map(problems.numbered) : []
    for (const problem of own === undefined ? kept : [problems.find(own.fingerprint)]) {
      if (problem?.state !== 'firing') continue
      const isHeld = ({ silence, held, destination }: Telling) =>
        silence === id && held !== null && destination !== DESTINATION_CODE.oncall
      if (!tellings.all(problem.id).some(isHeld)) followUps.raiseOf(problem, { word: 'silence_over', by: '' })
      if (own !== undefined) copies.changed(problem)
    }
  }
}
