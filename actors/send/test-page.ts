import { randomBytes } from 'node:crypto'
import type { Outcome } from '../../src/domain/delivery/delivery.ts'
import type { GatewayPage, Page, PagerDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Provider } from '../../src/oncall/provider.ts'
import { sendWithDeadline } from '../../src/outbound/send-with-deadline.ts'
import { ownMessage } from '../../src/store/outbox/own-message.ts'
import type { SendQueries, TestPageReport } from '../messages/send-queries.ts'

export interface TestPageDeps {
  /** Undefined: none is configured, likewise `gateways`. Its pages have no links: there is no incident behind a test. */
  readonly provider: Provider | undefined
  readonly gateways: Provider<GatewayPage> | undefined
  readonly clock: Clock
  readonly timeoutMs: number
  /** Reports a bug. */
  failed(error: unknown): void
}

const NOT_CONFIGURED = { kind: 'failed', reason: 'it is not configured' } as const

/** Sends a test page by a gateway, or a trigger and its end to the provider, once. */
export async function testPage(
  deps: TestPageDeps,
  { way, name }: Parameters<SendQueries['testPage']>[0],
): Promise<TestPageReport> {
  const title = `Tocsin test message for ${name}: this is no incident, and there is nothing to do`
  const now = deps.clock.now()
  const { content: _, ...own } = ownMessage(now)
  const words = {
    ...own,
    id: `test-${now}`,
    title,
    severity: 'info',
    status: 'firing',
    fingerprint: `tocsin-test-${now}`,
    destination: 'oncall',
    ...{ code: 0, incident: 0, number: 0, attempt: 1, mayDuplicate: false },
  } as const
  const send = async <P extends PagerDispatch>(provider: Provider<P> | undefined, page: P) => {
    const around = { ...deps, sender: 'on-call provider' } as const
    const sent = (signal: AbortSignal, onConnected: () => void): Promise<Outcome> =>
      provider?.send(page, signal, onConnected) ?? Promise.resolve(NOT_CONFIGURED)
    return sendWithDeadline(around, sent, new AbortController())
  }
  if (way.kind === 'gateway') {
    const id = `test-${randomBytes(16).toString('hex')}`
    const gateway = { name: way.gateway, to: way.to, id, test: true } as const
    return reportOf(
      await send(deps.gateways, { ...words, kind: 'notice', notice: { kind: 'line', text: title }, gateway }),
    )
  }
  const page = { ...words, kind: 'page', signal: 'trigger', dueAt: now, target: way.target } as const
  const triggered = await send<Page>(deps.provider, page)
  if (triggered.outcome.kind !== 'sent') return reportOf(triggered)
  const { outcome } = await send<Page>(deps.provider, { ...page, signal: 'resolve', status: 'resolved' })
  const open = outcome.kind === 'sent' ? '' : `; it stays open there: ${outcome.reason}`
  const { detail, ...report } = reportOf(triggered)
  return { ...report, detail: `${detail}${open}` }
}

const reportOf = ({ outcome, durationMs }: Awaited<ReturnType<typeof sendWithDeadline>>): TestPageReport => ({
  ok: outcome.kind === 'sent',
  detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
  durationMs,
})
