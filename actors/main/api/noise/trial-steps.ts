import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import { destinationName } from '../../../../src/domain/delivery/delivery.ts'
import type { DecidedDestination, Decision } from '../../../../src/policy/decision.ts'
import type { Explanation as PolicyExplanation } from '../../../../src/policy/explain.ts'
import type { DestinationState } from '../../../../src/store/noise/queries/destinations.ts'
import type { TriedDestination, TriedRepeat } from '../../../../src/store/ports/noise.ts'
import { EMPTY, JOINED, NOBODY, pageSteps } from './steps.ts'

interface Trial {
  readonly decision: Decision
  /** Undefined: it is a message like any other. */
  readonly repeat: TriedRepeat | undefined
  /** Number of the silence that would hold it, and its page; undefined: none would. */
  readonly heldBy: number | undefined
}

/**
 * Returns where a payload would go now: to its message, a place beside that of its problem, or the digest of a storm that
 * is open.
 */
export function trialDestinationSteps(
  { decision, repeat, heldBy }: Trial,
  now: readonly DestinationState[],
): ExplainStep[] {
  if (decision.destinations.length === 0) return [NOBODY]
  return decision.destinations.map((decided, at) => {
    const { channel, target = null } = decided
    const state = now.find((each) => each.channel === channel && each.target === target)
    const step = { ...EMPTY, stage: 'destination', subject: destinationName({ channel, target }) } as const
    const message = messageText(decided, decision, state)
    if (heldBy !== undefined)
      return { ...step, verdict: 'hold', because: `until the end of the silence; then ${message}`, silence: heldBy }
    const tried = repeat?.destinations[at]
    if (tried?.kind === 'fold')
      return { ...step, verdict: 'fold', because: foldText(tried, repeat), digest: tried.digest ?? null }
    const news = tried === undefined ? '' : NEWS[tried.because]
    return {
      ...step,
      verdict: state?.storm ? 'storm' : 'send',
      because: news === '' ? message : `${message}; ${news}`,
      digest: state?.storm?.digest ?? null,
    }
  })
}

function foldText(
  { digest, place, inGroup }: Extract<TriedDestination, { kind: 'fold' }>,
  { firingSince, isFlapping }: Pick<TriedRepeat, 'firingSince' | 'isFlapping'> = NOT_STORED,
): string {
  const where = digest === undefined ? 'the first place' : `place ${place} of digest ${digest},`
  if (inGroup) return `its group has a message: ${where} which is edited in below that`
  if (isFlapping) return `its problem flaps: ${where} beside the message of that`
  const since = firingSince === undefined ? 'already' : `since ${new Date(firingSince).toISOString()}`
  return `its problem fires ${since}, and it is neither louder nor about another alert: ${where} beside the message of the problem`
}

const NOT_STORED = { firingSince: undefined, isFlapping: false }

const NEWS = {
  resolved: '',
  first: 'no problem of its fingerprint fires',
  louder: 'it is louder than its problem so far',
  'new alert': 'it has an alert that its problem did not have',
  'not told': 'the destination was not notified of its problem',
  'louder than its group': 'it is louder than all before it in its group',
  closed: 'it would have a place beside another message, but the destination is in a storm or has too many that wait',
} as const satisfies Record<Extract<TriedDestination, { kind: 'message' }>['because'], string>

function messageText({ template }: DecidedDestination, { priority }: Decision, state: DestinationState | undefined) {
  const file = template === undefined ? '' : `; template ${template}`
  return `priority ${priority}; ${loadText(state)}${file}`
}

function loadText(state: DestinationState | undefined): string {
  if (state === undefined) return 'nothing waits for it'
  const { load, maxLoad, storm } = state
  if (maxLoad === null) return 'it never has a digest'
  return `load ${Math.round(load)} of ${maxLoad}${storm === null ? '' : `; digest ${storm.digest} is open`}`
}

/** Returns whether a payload would page. */
export function trialPageSteps(
  { decision, repeat, heldBy }: Trial,
  steps: PolicyExplanation['steps'],
): readonly ExplainStep[] {
  const found = pageSteps(steps)
  if (decision.page === undefined) return found
  if (repeat?.joins) return found.map((step) => ({ ...step, verdict: 'joined', because: JOINED }))
  if (heldBy === undefined) return found
  return found.map((step) => ({
    ...step,
    verdict: 'hold',
    because: `until the end of the silence; then ${step.verdict}; ${step.because}`,
    silence: heldBy,
  }))
}
