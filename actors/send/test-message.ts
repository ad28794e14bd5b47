import type { Channel } from '../../src/channels/channel.ts'
import type { Gate } from '../../src/channels/destination/throttle.ts'
import { messageOf } from '../../src/channels/message.ts'
import { transmit } from '../../src/channels/send-with-deadline.ts'
import type { Outcome } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Rendered, RenderItem } from '../../src/render/pool/pool.ts'
import { TRIAL_TURN_MS, type TrialReport } from '../messages/send-queries.ts'

interface TrialTools {
  /** The one that is open now. */
  channel(): Channel
  readonly gate: Gate
  readonly clock: Clock
  readonly timeoutMs: number
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** A fault of ours. */
  failed(error: unknown): void
}

const MARK = 'Tocsin test message'
const PAYLOAD = {
  title: MARK,
  message: 'An operator asked whether this channel works. This is no incident, and there is nothing to do.',
  ServiceName: 'tocsin',
  severity: 'info',
  status: 'firing',
}

/**
 * Sends one message that says it is a test, the way a delivery goes: template, rate, provider. The circuit is not asked, but hears of the
 * outcome: what an operator finds mended is mended. One at a time.
 */
export function createTrial(tools: TrialTools): (target?: string) => Promise<TrialReport> {
  let state: 'idle' | 'under way' = 'idle'
  return async (target) => {
    if (state === 'under way') throw new CodedError('bad_parameter', 'a test message is on its way on this channel')
    state = 'under way'
    try {
      return await tried(tools, target)
    } finally {
      state = 'idle'
    }
  }
}

async function tried(tools: TrialTools, target?: string): Promise<TrialReport> {
  const { gate, clock, render } = tools
  const channel = tools.channel()
  const incident = incidentAt(clock.now())
  const [rendered] = await render([{ content: Buffer.from(JSON.stringify(PAYLOAD)), facts: incident }])
  if (!rendered) throw new CodedError('internal', 'the test message was not rendered')
  const { renderMs, fault: renderFault } = rendered
  const message = messageOf({ ...incident, ...(target && { target }) }, { ...rendered, text: marked(rendered.text) })
  const destination = channel.destination(message)
  const report = (outcome: Outcome, limiterWaitMs: number, durationMs: number): TrialReport => ({
    ok: outcome.kind === 'sent',
    detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined && { messageId: outcome.messageId }),
    ...(renderFault !== undefined && { renderFault }),
    ...{ text: message.text, renderMs, limiterWaitMs, durationMs },
  })
  const limiterWaitMs = await turn(tools, destination)
  if (limiterWaitMs === undefined) return report(NO_TURN, TRIAL_TURN_MS, 0)
  const { outcome, durationMs } = await transmit({ ...tools, channel }, message, new AbortController())
  gate.record(destination, outcome)
  return report(outcome, limiterWaitMs, durationMs)
}

/** How long it waited for its turn; undefined when that did not come. */
async function turn({ gate, clock }: TrialTools, destination: string): Promise<number | undefined> {
  const patience = new AbortController()
  const timer = clock.setTimer(TRIAL_TURN_MS, () => patience.abort())
  try {
    return await gate.turn(destination, patience.signal)
  } catch {
    return undefined
  } finally {
    timer.cancel()
  }
}

const NO_TURN: Outcome = { kind: 'retry', reason: `the destination's rate left no turn within ${TRIAL_TURN_MS} ms` }

function incidentAt(now: number) {
  const { title, severity, ServiceName: service } = PAYLOAD
  const known = { status: 'firing', sender: 'custom', source: 'webhook' } as const
  return { id: `test-${now}`, createdAt: now, title, severity, service, ...known }
}

/** A template of somebody's own may print nothing of the payload that says so. */
function marked(text: string): string {
  return text.includes(MARK) ? text : `${MARK}\n${text}`
}
