import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { usualPriority } from '../../policy/outcome.ts'
import { isAcknowledged, newsOf } from '../../policy/repeat.ts'
import type { Lane } from '../engine/counts.ts'
import { withoutNul } from '../engine/statement.ts'
import type { Pages } from '../pages/pages.ts'
import type { StoreParts } from '../parts.ts'
import type { RepeatTrial, TriedDestination, TriedRepeat } from '../ports/noise.ts'
import type { BundleRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'
import type { Storms } from './storms.ts'

interface TrialDeps {
  readonly rules: RepeatRules
  readonly rows: Pick<BundleRows, 'taking'>
  isClosed(lane: Lane<ChannelName>): boolean
  /** The digest of a storm would take the alert. */
  takes: Storms['takes']
  tryGroup(lane: Lane<ChannelName>, trial: RepeatTrial): TriedDestination | undefined
}

/** Opens the question how an incident would be told if it was committed now. It answers as `look` does, and changes nothing. */
export function openTrial({ lanes, now, problems, tellings }: StoreParts, deps: TrialDeps) {
  const { rules, rows, isClosed, tryGroup, takes } = deps

  return (trial: RepeatTrial, choosePage: Pages['choose']): TriedRepeat | undefined => {
    const fingerprint = withoutNul(trial.fingerprint)
    const problem = problems.find(fingerprint)
    const flap = problems.flapping.step({ ...trial, committedAt: now() }, problem)
    const isSingle = flap === undefined && rules.mode === 'each'
    const isMessage = isSingle && trial.group === undefined
    const news = flap === undefined ? newsOf(problem, trial) : flap.news

    function placeIn({ code }: Lane, kind: 'repeats' | 'flapping', since: number): TriedDestination {
      const row = rows.taking(code, fingerprint)
      if (row?.bundle.kind !== kind || row.bundle.since !== since) return NEW
      return { kind: 'fold', digest: row.id, place: row.bundle.folded + 1 }
    }

    function triedFlap(lane: Lane<ChannelName> | undefined): TriedDestination {
      if (news !== undefined) return { kind: 'message', because: news }
      if (lane !== undefined && isClosed(lane)) return { kind: 'message', because: 'closed' }
      return lane && flap ? placeIn(lane, 'flapping', flap.flap.since) : NEW
    }

    function tried({ channel, target }: RepeatTrial['destinations'][number]): TriedDestination {
      const lane = lanes.named(channel, target)
      const inGroup = lane && tryGroup(lane, trial)
      if (inGroup !== undefined) return inGroup
      if (flap !== undefined) return triedFlap(lane)
      if (isSingle) return { kind: 'message', because: 'first' }
      if (problem === undefined || news !== undefined) return { kind: 'message', because: news ?? 'first' }
      if (lane === undefined) return { kind: 'message', because: 'not told' }
      if (isClosed(lane)) return { kind: 'message', because: 'closed' }
      const place = placeIn(lane, 'repeats', problem.openedAt)
      if (place !== NEW) return place
      if (tellings.firstMessage(lane.code, problem) === undefined) return { kind: 'message', because: 'not told' }
      return NEW
    }

    const destinations = isMessage ? [] : trial.destinations.map(tried)
    const isRepeat = !isSingle && news === undefined
    const { status, severity, priority = usualPriority(severity) } = trial
    const alert = { status, severity, priority, isRepeat, problem: problem?.id ?? 0, incident: Infinity }
    const lanesOf = trial.destinations.flatMap(({ channel, target }) => lanes.named(channel, target) ?? [])
    const inStorm = lanesOf.some((lane) => takes(lane, alert))
    const choice = choosePage(fingerprint, {
      ...{ alert: trial, waitMs: trial.page?.waitMs, target: trial.page?.target, now: now() },
      ...{
        isRepeat,
        isFlapping: flap !== undefined,
        isFolded: inStorm || destinations.some(({ kind }) => kind === 'fold'),
      },
      wasFiring: problem?.state === 'firing',
      isAcknowledged: problem !== undefined && flap === undefined && isRepeat && isAcknowledged(problem, now()),
      isSilenced: false,
    })
    if (isMessage && choice !== 'join') return undefined
    const firingSince = problem?.state === 'firing' ? problem.openedAt : undefined
    return { firingSince, isFlapping: flap !== undefined, destinations, joins: choice === 'join' }
  }
}

/** It would begin a bundle. */
const NEW: TriedDestination = { kind: 'fold', digest: undefined, place: 1 }
