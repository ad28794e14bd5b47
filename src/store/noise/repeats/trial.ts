import type { ChannelName } from '../../../domain/delivery.ts'
import { isAcknowledged, newsOf } from '../../../policy/repeat.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { withoutNul } from '../../engine/statement.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { RepeatTrial, TriedDestination, TriedRepeat } from '../../ports/noise.ts'
import type { Problems } from '../../problems/problems.ts'
import type { Tellings } from '../../tellings/tellings.ts'
import type { Flaps } from './flaps.ts'
import { FLAP, type RepeatRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'

interface TrialDeps {
  readonly rules: RepeatRules
  readonly rows: Pick<RepeatRows, 'find'>
  readonly problems: Pick<Problems, 'find'>
  readonly tellings: Pick<Tellings, 'firstMessage'>
  readonly flaps: Pick<Flaps, 'look'>
  isClosed(lane: Lane<ChannelName>): boolean
}

/** Opens the question how an incident would be told if it was committed now. It answers as `look` does, and changes nothing. */
export function openRepeatTrial(
  context: StoreContext,
  { rules, rows, problems, tellings, flaps, isClosed }: TrialDeps,
) {
  const { lanes, now } = context

  return (trial: RepeatTrial, mayJoin: Escalations['mayJoin']): TriedRepeat | undefined => {
    const fingerprint = withoutNul(trial.fingerprint)
    const problem = problems.find(fingerprint)
    const flap = flaps.look({ ...trial, fingerprint, committedAt: now() }, problem)
    if (flap === undefined && rules.mode === 'each') return undefined
    const news = flap === undefined ? newsOf(problem, trial) : flap.news

    function triedFlap(lane: Lane<ChannelName> | undefined): TriedDestination {
      if (news !== undefined) return { kind: 'message', because: news }
      if (lane !== undefined && isClosed(lane)) return { kind: 'message', because: 'closed' }
      const bundle = lane && rows.find(lane.code, fingerprint)
      if (bundle?.flap !== FLAP.lasts || bundle.since !== flap?.since)
        return { kind: 'fold', digest: undefined, place: 1 }
      return { kind: 'fold', digest: bundle.id, place: bundle.folded + 1 }
    }

    function tried({ channel, target }: RepeatTrial['destinations'][number]): TriedDestination {
      const lane = lanes.all(channel).find((each) => each.target === target)
      if (flap !== undefined) return triedFlap(lane)
      if (problem === undefined || news !== undefined) return { kind: 'message', because: news ?? 'first' }
      if (lane === undefined) return { kind: 'message', because: 'not told' }
      if (isClosed(lane)) return { kind: 'message', because: 'closed' }
      const bundle = rows.find(lane.code, fingerprint)
      if (bundle?.since === problem.openedAt && bundle.flap === null)
        return { kind: 'fold', digest: bundle.id, place: bundle.folded + 1 }
      if (tellings.firstMessage(lane.code, problem) === undefined) return { kind: 'message', because: 'not told' }
      return { kind: 'fold', digest: undefined, place: 1 }
    }

    const destinations = trial.destinations.map(tried)
    const isCovered =
      problem !== undefined && flap === undefined && news === undefined && isAcknowledged(problem, now())
    const isTold = flap === undefined ? destinations.some(({ kind }) => kind === 'fold') : news === undefined
    const { pageWaitMs: waitMs } = trial
    const joins =
      isCovered ||
      (isTold &&
        waitMs !== undefined &&
        mayJoin(fingerprint, { at: now(), waitMs, alert: trial, isFlapping: flap !== undefined }))
    const firingSince = problem?.state === 'firing' ? problem.openedAt : undefined
    return { firingSince, isFlapping: flap !== undefined, destinations, joins }
  }
}
