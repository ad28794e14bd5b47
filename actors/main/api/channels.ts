import type {
  ChannelList,
  ChannelRecord,
  PauseAnswer,
  ResumeAnswer,
  TestMessageAnswer,
} from '../../../src/api/channel.ts'
import type { DestinationRecord } from '../../../src/api/noise/destination.ts'
import type { ChannelSettings } from '../../../src/channels/channel.ts'
import { CHANNELS, targetsOf } from '../../../src/channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../src/http/contract.ts'
import type { DestinationState } from '../../../src/store/noise/queries/destinations.ts'
import type { ChannelHealth, LastNotice } from '../../../src/store/ports/channels.ts'
import { isoTime, isoTimeOrNull } from '../../../src/text/iso-time.ts'
import { type SenderState, TEST_RATE_WAIT_MS } from '../../messages/send-queries.ts'
import type { ReceiverState } from '../answers/receiver.ts'
import { objectOf } from './parameters.ts'
import { type RouteDeps, route } from './route.ts'

/** The way back of presses from a channel with a mode. */
interface ModeReceiver extends ReceiverState {
  readonly mode: string
}

interface ChannelRouteDeps extends Pick<RouteDeps, 'askStorage' | 'askSenders' | 'settings' | 'now'> {
  /** Returns the ways back of channels with a mode. */
  receivers(): ReadonlyMap<ChannelName, ModeReceiver>
}

/** For rendering, and the way there and back. */
const GRACE_MS = 5_000

/** State of the channels, pause, resume, test message. */
export function channelRoutes(deps: ChannelRouteDeps): AdminRoute[] {
  const at = (action: string) => `/api/admin/channels/:name/${action}`
  return [
    route('GET', '/api/admin/channels', () => list(deps)),
    route('POST', at('pause'), ({ params }) => pause(deps, nameOf(params.name))),
    route('POST', at('resume'), ({ params }) => resume(deps, nameOf(params.name))),
    route('POST', at('test'), ({ params, body }) => sendTestMessage(deps, nameOf(params.name), body)),
  ]
}

async function list({ askStorage, askSenders, settings, receivers, now }: ChannelRouteDeps): Promise<ChannelList> {
  const [health, destinations, senders] = await Promise.all([
    askStorage({ kind: 'channels' }),
    askStorage({ kind: 'destinations' }),
    askSenders({ kind: 'senders' }),
  ])
  const { channels } = settings().alert
  const back = receivers()
  const records = CHANNEL_NAMES.map((name) =>
    channelRecord({
      settings: channels[name],
      health: health[name],
      destinations: destinations.filter(({ channel }) => channel === name),
      sender: senders.find(({ channel }) => channel === name),
      receiver: back.get(name),
      now: now(),
    }),
  )
  return { channels: records }
}

/** Pauses storage first: then nothing new is dispatched, and what the sender releases stays on disk. */
async function pause({ askStorage, askSenders }: ChannelRouteDeps, channel: ChannelName): Promise<PauseAnswer> {
  await askStorage({ kind: 'pause', channel })
  await ignorePeerDown(askSenders({ kind: 'pause', channel, paused: true }))
  return { ok: true, name: channel, paused: true }
}

/** Resumes the sender first, so that it does not release what storage dispatches. */
async function resume({ askStorage, askSenders }: ChannelRouteDeps, channel: ChannelName): Promise<ResumeAnswer> {
  await ignorePeerDown(askSenders({ kind: 'pause', channel, paused: false }))
  await askStorage({ kind: 'resume', channel })
  return { ok: true, name: channel, paused: false }
}

/** Ignores peer_down: a send thread that is down holds nothing, and the next one starts unpaused. */
async function ignorePeerDown(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'peer_down')) throw error
  })
}

async function sendTestMessage(
  deps: ChannelRouteDeps,
  channel: ChannelName,
  body: unknown,
): Promise<TestMessageAnswer> {
  const { target } = body === undefined ? {} : objectOf(body, 'the body')
  if (target !== undefined && typeof target !== 'string')
    throw new CodedError('bad_parameter', "target must be the name of one of the channel's other destinations")
  const deadlineMs = TEST_RATE_WAIT_MS + deps.settings().delivery.timeoutMs + GRACE_MS
  const query = { kind: 'testMessage', channel, ...(target !== undefined && { target }) } as const
  const { ok, detail, text, ...report } = await deps.askSenders(query, deadlineMs)
  return {
    ok,
    name: channel,
    detail,
    text,
    message_id: report.messageId ?? null,
    render_fault: report.renderFailure ?? null,
    render_ms: report.renderMs,
    limiter_wait_ms: report.limiterWaitMs,
    duration_ms: report.durationMs,
  }
}

function nameOf(name: string | undefined): ChannelName {
  const known = CHANNEL_NAMES.find((each) => each === name)
  if (!known)
    throw new CodedError('not_found', `no channel has this name: it must be one of ${CHANNEL_NAMES.join(', ')}`)
  return known
}

interface ChannelState {
  readonly settings: ChannelSettings
  readonly health: ChannelHealth
  readonly destinations: readonly DestinationState[]
  /** Absent: the channel is not enabled. */
  readonly sender: SenderState | undefined
  readonly receiver: ModeReceiver | undefined
  readonly now: number
}

function channelRecord({ settings, health, destinations, sender, receiver, now }: ChannelState): ChannelRecord {
  const { name, enable, concurrency, rate, mailbox } = settings
  const { pending, sending, oldestPendingAt } = health.backlog
  return {
    name,
    enabled: enable,
    paused: health.pausedAt !== undefined,
    paused_at: isoTimeOrNull(health.pausedAt),
    mailbox: sender?.mailbox ?? { depth: 0, capacity: mailbox },
    sending: sender?.sending ?? 0,
    concurrency,
    rate: { per_second: rate.perSecond, burst: rate.burst },
    circuit: (sender?.destinations ?? []).map(({ destination, circuit, retryInMs }) => ({
      destination,
      state: circuit,
      retry_at: circuit === 'open' ? isoTime(now + retryInMs) : null,
    })),
    limiter: (sender?.destinations ?? []).map(({ destination, waiting, waits, waitedMs }) => ({
      destination,
      waiting,
      waits_total: waits,
      waited_ms_total: waitedMs,
    })),
    backlog: {
      pending,
      sending,
      oldest_pending_at: isoTimeOrNull(oldestPendingAt),
      oldest_pending_age_ms: oldestPendingAt === undefined ? null : Math.max(0, now - oldestPendingAt),
    },
    counters: { sent: health.sent, retried: health.retried, dead: health.dead, rendered_plain: health.renderedPlain },
    last_sent_at: isoTimeOrNull(health.lastSentAt),
    last_error: health.lastError
      ? { at: isoTime(health.lastError.at), detail: health.lastError.detail, incident_id: health.lastError.incidentId }
      : null,
    dead: health.deadNow,
    dead_notice: health.lastNotice ? noticeRecord(health.lastNotice) : null,
    targets: targetsOf(settings)?.names ?? [],
    destinations: destinations.map(destinationRecord),
    receiver: receiver ? receiverRecord(receiver) : null,
    limits: CHANNELS[name].text.limit,
  }
}

function destinationRecord(state: DestinationState): DestinationRecord {
  const { target, storm, load, maxLoad, unfinished, untold, arrived, nextRevisionAt, boundMs } = state
  return {
    target,
    storm: storm?.digest ?? null,
    load: Math.round(load * 10) / 10,
    max_load: maxLoad,
    unfinished,
    waiting: untold,
    arrived_total: arrived,
    next_update_at: isoTimeOrNull(nextRevisionAt),
    bound_ms: boundMs,
  }
}

const receiverRecord = ({ mode, state, since, lastError }: ModeReceiver) => ({
  mode,
  state,
  since: isoTime(since),
  last_error: lastError ?? null,
})

function noticeRecord({ state, via, attempts, first_at, ended_at }: LastNotice) {
  return { state, via, attempts, first_at: isoTimeOrNull(first_at), ended_at: isoTimeOrNull(ended_at) }
}
