import { type ChatwsOrigin, isSigned, payloadOf, readPayload } from '../../../src/answers/chatws.ts'
import type { ChatwsOptions } from '../../../src/channels/kinds/chatws.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { PublicRequest } from '../../../src/http/contract.ts'
import type { Timer } from '../../../src/kernel/clock.ts'
import { openWarnings } from '../../../src/telemetry/rate-limit.ts'
import { errorText } from '../../../src/text/error-text.ts'
import type { JsonObject } from '../../../src/text/json-object.ts'
import { retryMs, type SlackApi, slackApi, stateAfter } from './chatws-api.ts'
import { openSockets } from './chatws-socket.ts'
import type { Receiver, ReceiverDeps, StartReceiver } from './receiver.ts'
import { openReplies } from './replies.ts'

/** Lines about presses that are refused. */
const LINES = { burst: 5, everyMs: 60_000 }

/** Starts the way back from Slack: Socket Mode, or signed requests that `take` answers. */
export const startChatws: StartReceiver<ChatwsOptions> = (options, deps) => {
  const { apiUrl, token, answers } = options
  const api = slackApi(apiUrl, deps)
  const take = presses(options, api, deps)
  deps.changed({ state: 'connecting' })
  if (answers.mode === 'http') return byHttp(answers.signingSecret, { api, token, take }, deps)
  let origin: ChatwsOrigin | undefined
  return openSockets({
    ...deps,
    connections: answers.connections,
    async address() {
      origin ??= await originOf(api, token)
      const { url } = await api('apps.connections.open', answers.appToken)
      if (!isBelow(String(url), apiUrl)) throw new Error('the address of the socket is not below api_url')
      return String(url)
    },
    take: async (payload, app) => (await take(payload, { ...(origin as ChatwsOrigin), app })) === 'taken',
  })
}

async function originOf(api: SlackApi, token: string): Promise<ChatwsOrigin> {
  const { team_id, enterprise_id } = await api('auth.test', token)
  return { team: String(team_id), enterprise: String(enterprise_id ?? '') }
}

/** An address out of an answer leads to the provider alone. */
function isBelow(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const [socket, api] = [new URL(address), new URL(apiUrl)]
  const isSafe = socket.protocol === 'wss:' || (api.protocol === 'http:' && socket.protocol === 'ws:')
  return isSafe && (socket.hostname === api.hostname || socket.hostname.endsWith(`.${api.hostname}`))
}

type Taken = 'taken' | 'refused' | 'not_stored'
type Take = (payload: JsonObject, origin: ChatwsOrigin) => Promise<Taken>

/** Returns what takes a payload that Slack vouches for, and replies to the person if the message will not show it. */
function presses({ token }: ChatwsOptions, api: SlackApi, { press, clock, log, replyDropped }: ReceiverDeps): Take {
  const reply = openReplies(replyDropped)
  const warn = openWarnings({ log, clock }, LINES)

  function refused(why: string): Taken {
    warn({ channel: 'chatws', why }, 'a press was refused: give each service an app of its own')
    return 'refused'
  }

  return async (payload, origin) => {
    const read = readPayload(payload, origin)
    if (read.kind === 'other') return 'taken'
    if (read.kind === 'refused') return refused(read.why)
    const pressed = await press(read.press)
    if (pressed === undefined) return 'not_stored'
    if (pressed.result === 'forged') return refused('its button is not of this service')
    const { place: channel, actor } = read.press
    const json = { channel, user: actor.id, text: pressed.text, ...(read.thread && { thread_ts: read.thread }) }
    if (pressed.result !== 'done' || read.isTest) reply((signal) => api('chat.postEphemeral', token, { json, signal }))
    return 'taken'
  }
}

interface HttpParts {
  readonly api: SlackApi
  readonly token: string
  readonly take: Take
}

function byHttp(secret: string, { api, token, take }: HttpParts, { clock, changed, random }: ReceiverDeps): Receiver {
  let origin: ChatwsOrigin | undefined
  let timer: Timer | undefined
  let failures = 0
  let closed = false

  async function identify(): Promise<void> {
    try {
      origin = await originOf(api, token)
      changed({ state: 'up' })
    } catch (error) {
      if (closed) return
      timer = clock.setTimer(retryMs(error, ++failures, random()), () => void identify())
      changed({ state: stateAfter(error), lastError: errorText(error) })
    }
  }

  async function answer(request: PublicRequest): Promise<Taken> {
    if (!isSigned(request, secret, clock.now())) throw new CodedError('answer_signature')
    const payload = payloadOf(request.body)
    if (payload === undefined) return 'refused'
    return origin === undefined || closed ? 'not_stored' : take(payload, origin)
  }

  void identify()
  return {
    async take(request) {
      const taken = await answer(request)
      if (taken === 'refused') throw new CodedError('answer_token')
      if (taken === 'not_stored') throw new CodedError('answer_busy')
      return { status: 200, body: '', headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' } }
    },
    async close() {
      closed = true
      timer?.cancel()
    },
  }
}
