import { isDeepStrictEqual } from 'node:util'
import type { ChannelSettings } from '../../../src/channels/channel.ts'
import { answersModeOf } from '../../../src/channels/index.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { CodedError, ERRORS } from '../../../src/domain/errors.ts'
import type { PublicAnswer, PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { AnswerFigures } from '../../../src/telemetry/snapshot.ts'
import { errorText } from '../../../src/text/error-text.ts'
import { enabledChannels } from '../../wiring/boot.ts'
import { jsonAnswer } from '../doors/door.ts'
import { openAnswerCounts } from './counts.ts'
import { openDownWatch } from './down.ts'
import { answerLinkRoutes } from './links.ts'
import { MAX_PHONE_BYTES, openPhone } from './phone.ts'
import { openPresses, type PressDeps, type Presses } from './press.ts'
import type { Receiver, ReceiverState, StartReceiver } from './receiver.ts'

interface AnswersDeps extends Omit<PressDeps, 'counts'> {
  readonly log: Log
  /** False on a replica that does not lead. */
  leads(): boolean
  /** Calls `changed` after each change of the leader. */
  watch(changed: () => void): void
}

/** Code of the receivers, which is loaded when a mode is set. `Options` are checked by the channel's kind. */
const RECEIVERS: { readonly [name in ChannelName]?: () => Promise<StartReceiver<never>> } = {
  chatws: async () => (await import('./chatws.ts')).startChatws,
  msgapp: async () => (await import('./msgapp.ts')).startMsgapp,
}

const MAX_BODY_BYTES = 256 * 1024
const HEADERS = {
  chatws: ['x-slack-request-timestamp', 'x-slack-signature'],
  msgapp: ['x-telegram-bot-api-secret-token'],
}
const BUSY = jsonAnswer(ERRORS.answer_busy.status, { error: ERRORS.answer_busy.message }, { 'Retry-After': '2' })

export type Answers = ReturnType<typeof openAnswers>

/** Takes people's presses from all channels with a mode, on the replica that leads. Safe to close twice. */
export function openAnswers({ log, leads, watch, ...rest }: AnswersDeps) {
  const { settings } = rest
  const counts = openAnswerCounts()
  const presses = openPresses({ ...rest, counts })
  const ways = Object.keys(RECEIVERS).map((name) => openWay(name as ChannelName, { ...rest, log, counts, presses }))
  let closed = false

  function look(): void {
    if (closed) return
    const enabled = enabledChannels(settings())
    for (const way of ways) {
      const channel = enabled.find(({ name }) => name === way.channel)
      way.change(channel !== undefined && answersModeOf(channel) !== 'off' ? channel : undefined, leads())
    }
  }

  const phone = openPhone({ ...rest, counts, presses })
  const route = { method: 'POST' as const, maxBodyBytes: MAX_BODY_BYTES, unavailable: () => BUSY }
  const routes: readonly PublicRoute[] = [
    ...ways.map((way) => ({
      ...route,
      path: `/api/chat/${way.channel}`,
      headers: HEADERS[way.channel as keyof typeof HEADERS],
      answer: (request: PublicRequest) => way.take(request),
    })),
    { ...route, path: '/api/answer', maxBodyBytes: MAX_PHONE_BYTES, answer: phone },
    ...answerLinkRoutes({ ...rest, presses }),
  ]
  watch(look)
  return {
    routes,
    /** Starts and ends receivers as settings and the lease ask for; after each change of either. */
    look,
    /** Returns the ways back of channels with a mode. */
    receivers: () =>
      new Map(
        ways.flatMap(({ channel, mode, state }) => (mode() === 'off' ? [] : [[channel, { mode: mode(), ...state() }]])),
      ),
    figures: (): AnswerFigures => ({
      ...counts.figures(),
      receivers: ways
        .filter(({ isRunning }) => isRunning())
        .map(({ channel, state }) => ({ channel, isUp: state().state === 'up' })),
    }),
    async close(): Promise<void> {
      closed = true
      await Promise.all(ways.map((way) => way.change(undefined, false)))
    },
  }
}

interface WayDeps extends Pick<AnswersDeps, 'settings' | 'clock' | 'log' | 'askStorage'> {
  readonly counts: ReturnType<typeof openAnswerCounts>
  readonly presses: Presses
}

interface Wanted extends Pick<ChannelSettings, 'network' | 'options'> {
  readonly publicHost: string
}

/** The way back from one channel: at most one receiver at a time, which is started anew when its settings change. */
function openWay(channel: ChannelName, { settings, clock, log, counts, presses, askStorage }: WayDeps) {
  let mode = 'off'
  let wanted: Wanted | undefined
  let receiver: Receiver | undefined
  let stop = async (): Promise<void> => {}
  let last: Promise<void> = Promise.resolve()
  let state: ReceiverState = { state: 'off', since: clock.now() }
  const watchDown = openDownWatch(channel, { clock, askStorage })

  function changed(next: Omit<ReceiverState, 'since'>): void {
    const isSame = next.state === state.state
    if (state.state === 'up' && !isSame && next.state !== 'off' && next.state !== 'waiting')
      counts.lost(channel, next.state)
    if (!isSame) tell(next)
    watchDown(next)
    state = { ...next, since: isSame ? state.since : clock.now() }
  }

  function tell({ state: now, lastError: error }: Omit<ReceiverState, 'since'>): void {
    if (now === 'refused') log.error({ channel, error }, 'the provider refuses the way back of answers')
    else if (now === 'backing_off') log.warn({ channel, error }, 'the way back of answers is lost; it is tried again')
    else log.info({ channel, state: now }, 'the way back of answers')
  }

  async function run(next: Wanted | undefined): Promise<void> {
    await stop()
    receiver = undefined
    stop = async () => {}
    if (next === undefined || next !== wanted) return
    const [start, { openHttpClient }] = await Promise.all([
      RECEIVERS[channel]?.(),
      import('../../../src/outbound/http-client.ts'),
    ])
    const http = openHttpClient({ connections: CONNECTIONS }, next.network)
    const started = start?.(next.options as never, {
      press: (press) => presses.ofChat(channel, press),
      http,
      network: next.network,
      publicHost: next.publicHost,
      clock,
      log,
      random: Math.random,
      // One that is closed may still tell how it ends.
      changed: (given) => void (next === wanted && changed(given)),
      replyDropped: counts.replyDropped,
    })
    receiver = started
    stop = async () => {
      receiver = undefined
      await started?.close()
      http.destroy()
    }
  }

  return {
    channel,
    mode: () => mode,
    state: () => state,
    isRunning: () => wanted !== undefined,
    /** Resolves when what ran before has ended and what is wanted runs. */
    change(given: ChannelSettings | undefined, leads: boolean): Promise<void> {
      mode = given === undefined ? 'off' : answersModeOf(given)
      const { publicHost } = settings()
      const next = given && leads ? { network: given.network, options: given.options, publicHost } : undefined
      const idle = given === undefined ? 'off' : 'waiting'
      if (next === undefined && state.state !== idle) changed({ state: idle })
      if (isDeepStrictEqual(next, wanted)) return last
      wanted = next
      last = last.then(() => run(next)).catch((error) => changed({ state: 'refused', lastError: errorText(error) }))
      return last
    },
    async take(request: Parameters<NonNullable<Receiver['take']>>[0]): Promise<PublicAnswer> {
      if (mode === 'off') throw new CodedError('not_found')
      if (receiver === undefined) return BUSY
      if (receiver.take === undefined) throw new CodedError('not_found')
      return receiver.take(request)
    },
  }
}

const CONNECTIONS = 4
