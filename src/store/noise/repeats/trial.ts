import type { ChannelName } from '../../../domain/delivery.ts'
import { isAcknowledged, newsOf } from '../../../policy/repeat.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { withoutNul } from '../../engine/statement.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { RepeatTrial, TriedDestination, TriedRepeat } from '../../ports/noise.ts'
import type { Problems } from '../../problems/problems.ts'
import { openFirstMessage } from './first-message.ts'
import type { RepeatRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'

interface TrialDeps {
  readonly rules: RepeatRules
  readonly rows: Pick<RepeatRows, 'find'>
  readonly problems: Pick<Problems, 'find'>
  isClosed(lane: Lane<ChannelName>): boolean
}

/** Opens the question how an incident would be told if it was committed now. It answers as `look` does, and changes nothing. */
export function openRepeatTrial(context: StoreContext, { rules, rows, problems, isClosed }: TrialDeps) {
  const { lanes, now } = context
  const firstMessage = openFirstMessage(context)

  return (trial: RepeatTrial, mayJoin: Escalations['mayJoin']): TriedRepeat | undefined => {
    if (rules.mode === 'each') return undefined
    const problem = problems.find(withoutNul(trial.fingerprint))
    const news = newsOf(problem, trial)

    function tried({ channel, target }: RepeatTrial['destinations'][number]): TriedDestination {
      if (problem === undefined || news !== undefined) return { kind: 'message', because: news ?? 'first' }
      const lane = lanes.all(channel).find((each) => each.target === target)
      if (lane === undefined) return { kind: 'message', because: 'not told' }
      if (isClosed(lane)) return { kind: 'message', because: 'closed' }
      const bundle = rows.find(lane.code, problem.fingerprint)
      if (bundle?.since === problem.openedAt) return { kind: 'fold', digest: bundle.id, place: bundle.folded + 1 }
      if (firstMessage(lane.code, problem.lastIncident) === undefined) return { kind: 'message', because: 'not told' }
      return { kind: 'fold', digest: undefined, place: 1 }
    }

    const destinations = trial.destinations.map(tried)
    const isCovered = problem !== undefined && news === undefined && isAcknowledged(problem, now())
    const isFolded = destinations.some(({ kind }) => kind === 'fold')
    const { pageWaitMs } = trial
    const joins = isCovered || (isFolded && pageWaitMs !== undefined && mayJoin(trial.fingerprint, now(), pageWaitMs))
    return { firingSince: problem?.state === 'firing' ? problem.openedAt : undefined, destinations, joins }
  }
}
