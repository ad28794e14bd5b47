import { readUpdate } from '../../../src/answers/msgapp.ts'
import type { MsgappOptions } from '../../../src/channels/kinds/msgapp.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { Secret } from '../../../src/http/auth.ts'
import { errorText } from '../../../src/text/error-text.ts'
import { parseObject } from '../../../src/text/json-object.ts'
import { scrub } from '../../../src/text/scrub.ts'
import { afterFailure, type BotApi, botApi, TelegramError } from './msgapp-api.ts'
import { openPoll, openWebhook, type Taken } from './msgapp-ways.ts'
import type { Pressed, ReceiverDeps, StartReceiver } from './receiver.ts'
import { openReplies } from './replies.ts'

/**
 * Starts the way back from Telegram: long polling, or a webhook whose requests `take` answers. One loop tends either. It
 * never gives up, and begins anew after a failure.
 */
export const startMsgapp: StartReceiver<MsgappOptions> = (options, deps) => {
  const { clock, changed } = deps
  const { mode, secretToken } = options.answers
  const stopping = new AbortController()
  const { signal } = stopping
  const api = botApi(options, deps)
  const take = updates(api, deps)
  const secret = new Secret(secretToken)
  const underWay = new Set<Promise<Taken>>()
  let wake = () => {}

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = clock.setTimer(ms, resolve)
      wake = () => {
        timer.cancel()
        resolve()
      }
    })
  const parts = { ...deps, api, take, signal, secretToken, pause }
  const way = mode === 'webhook' ? openWebhook(parts) : openPoll(parts)

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await way.turn()
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        const { state, ms } = afterFailure(error, ++failures)
        way.failed(state)
        changed({ state, lastError: scrub(errorText(error), [options.token, secretToken]) })
        await pause(ms)
      }
    }
  }

  changed({ state: 'connecting' })
  const running = run()
  return {
    ...(mode === 'webhook' && {
      async take({ headers, body }) {
        if (!secret.matches(headers['x-telegram-bot-api-secret-token'] ?? '')) throw new CodedError('answer_signature')
        const bot = way.bot()
        if (bot === undefined || signal.aborted) throw new CodedError('answer_busy')
        const taken = take(parseObject(body.toString()), bot)
        underWay.add(taken)
        const became = await taken
        underWay.delete(taken)
        if (became === 'not_stored') throw new CodedError('answer_busy')
        return { status: 200, body: '', headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' } }
      },
    }),
    async close() {
      stopping.abort()
      wake()
      await Promise.all([running, ...underWay])
    },
  }
}

/** Returns what takes an update of Telegram. Never rejects: a bug costs one press. */
function updates(api: BotApi, { press, log, replyDropped }: ReceiverDeps) {
  const reply = openReplies(replyDropped)
  return async (update: unknown, bot: number): Promise<Taken> => {
    try {
      const read = readUpdate(update, bot)
      if (read === undefined) return 'passed'
      const pressed = await press(read.press)
      if (pressed === undefined) return 'not_stored'
      const json = { callback_query_id: read.queryId, ...toastOf(pressed, read.isTest) }
      reply((signal) => api('answerCallbackQuery', json, { signal }).catch(unlessTooOld))
      return OF_STORAGE.has(pressed.result) ? 'stored' : 'passed'
    } catch (error) {
      log.error({ error: errorText(error) }, 'an update of msgapp was not understood; its press is lost')
    }
    return 'passed'
  }
}

/** Results that storage alone gives. */
const OF_STORAGE: ReadonlySet<Pressed['result']> = new Set(['done', 'already', 'over', 'superseded', 'not_silenced'])

const TEXT_MAX = 200
const PASSING: ReadonlySet<Pressed['result']> = new Set(['done', 'already'])

/** A refusal, and the id that a test names, stay until they are closed. */
const toastOf = ({ result, text }: Pressed, isTest: boolean) => ({
  text: text.slice(0, TEXT_MAX).toWellFormed(),
  show_alert: isTest || !PASSING.has(result),
})

/** Telegram takes answers for some seconds only. */
function unlessTooOld(error: unknown): void {
  if (!(error instanceof TelegramError && /query is too old/i.test(error.message))) throw error
}
