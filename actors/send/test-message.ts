import type { Channel } from '../../src/channels/channel.ts'
import type { DestinationThrottle } from '../../src/channels/destination/throttle.ts'
import { messageOf } from '../../src/channels/message.ts'
import type { AnswerButton } from '../../src/domain/answer.ts'
import type { Outcome } from '../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { sendWithDeadline } from '../../src/outbound/send-with-deadline.ts'
import type { Rendered, RenderItem } from '../../src/render/pool/pool.ts'
import { TEST_RATE_WAIT_MS, type TestMessageReport } from '../messages/send-queries.ts'

interface TestMessageDeps {
  /** The channel that is open now; a restart of the sender opens another. */
  channel(): Channel
  readonly throttle: DestinationThrottle
  readonly clock: Clock
  readonly timeoutMs: number
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** Returns the button of a message to a destination, which names the person's id; absent: the channel has no buttons. */
  button?(target: string | undefined): AnswerButton
  /** Reports a bug. */
  failed(error: unknown): void
}

const MARKER = 'Tocsin test message'
const PAYLOAD = {
  title: MARKER,
  message: 'An operator asked whether this channel works. This is no incident, and there is nothing to do.',
  ServiceName: 'tocsin',
  severity: 'info',
  status: 'firing',
}

/**
 * Returns a function that sends one test message, through template, rate and provider like a delivery. It does not ask
 * the circuit breaker but records the outcome there: when an operator finds a channel repaired, its circuit closes.
 * Rejects with bad_parameter while another test message is under way, and with internal for a bug.
 */
export function createTestMessage(deps: TestMessageDeps): (target?: string) => Promise<TestMessageReport> {
  let state: 'idle' | 'under way' = 'idle'
  return async (target) => {
    if (state === 'under way')
      throw new CodedError('bad_parameter', 'a test message of this channel is under way already')
    state = 'under way'
    try {
      return await sendTest(deps, target)
    } finally {
      state = 'idle'
    }
  }
}

async function sendTest(deps: TestMessageDeps, target?: string): Promise<TestMessageReport> {
  const { throttle, clock, render } = deps
  const channel = deps.channel()
  const incident = incidentAt(clock.now())
  const [rendered] = await render([{ content: Buffer.from(JSON.stringify(PAYLOAD)), facts: incident }])
  if (!rendered) throw new CodedError('internal', 'the test message was not rendered')
  const { renderMs, failure: renderFailure } = rendered
  const message = messageOf(
    { ...incident, ...(target && { target }) },
    { ...rendered, text: withMarker(rendered.text) },
    deps.button && { buttons: [deps.button(target)] },
  )
  const destination = channel.destination(message)
  const report = (outcome: Outcome, limiterWaitMs: number, durationMs: number): TestMessageReport => ({
    ok: outcome.kind === 'sent',
    detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined && { messageId: outcome.messageId }),
    ...(renderFailure !== undefined && { renderFailure }),
    text: message.text,
    renderMs,
    limiterWaitMs,
    durationMs,
  })
  const limiterWaitMs = await waitForRate(deps, destination)
  if (limiterWaitMs === undefined) return report(NO_RATE_IN_TIME, TEST_RATE_WAIT_MS, 0)
  const { outcome, durationMs } = await sendWithDeadline(
    { ...deps, sender: 'channel' },
    (signal, onConnected) => channel.send(message, signal, onConnected),
    new AbortController(),
  )
  throttle.record(destination, outcome)
  return report(outcome, limiterWaitMs, durationMs)
}

/** Waits for the token bucket; returns the milliseconds, or undefined after TEST_RATE_WAIT_MS. */
async function waitForRate({ throttle, clock }: TestMessageDeps, destination: string): Promise<number | undefined> {
  const deadline = new AbortController()
  const timer = clock.setTimer(TEST_RATE_WAIT_MS, () => deadline.abort())
  try {
    return await throttle.acquireRate(destination, deadline.signal)
  } catch {
    return undefined
  } finally {
    timer.cancel()
  }
}

const NO_RATE_IN_TIME: Outcome = {
  kind: 'retry',
  reason: `the rate of the destination allowed no message within ${TEST_RATE_WAIT_MS} ms`,
}

function incidentAt(now: number) {
  const { title, severity, ServiceName: service } = PAYLOAD
  const known = { status: 'firing', sender: 'custom', source: 'webhook' } as const
  return { id: `test-${now}`, createdAt: now, title, severity, service, ...known }
}

/** Adds the marker line: a custom template may omit the title. */
function withMarker(text: string): string {
  return text.includes(MARKER) ? text : `${MARKER}\n${text}`
}
