import { hash } from 'node:crypto'
import { z } from 'zod'
import { HttpFailure } from '../../../src/outbound/http-call.ts'
import { type BotApi, takenBy } from './msgapp-api.ts'
import type { ReceiverDeps, ReceiverState } from './receiver.ts'

/** How updates come from Telegram. */
interface Way {
  /** Id of the bot, once it is known. */
  bot(): number | undefined
  /** Takes what came, or looks after the webhook; is called again at once. Rejects after a failure. */
  turn(): Promise<void>
  failed(state: ReceiverState['state']): void
}

/** Outcome of an update. `passed`: nothing of it had to be stored. */
export type Taken = 'stored' | 'not_stored' | 'passed'

interface Parts extends Pick<ReceiverDeps, 'clock' | 'publicHost' | 'changed' | 'log'> {
  readonly api: BotApi
  readonly secretToken: string
  /** Aborts at the end. */
  readonly signal: AbortSignal
  /** Resolves early at the end. */
  pause(ms: number): Promise<void>
  /** Never rejects. */
  take(update: unknown, bot: number): Promise<Taken>
}

const KINDS = ['callback_query']
const LIMIT = 20
const POLL_S = 30
const MARGIN_MS = 10_000
const MAX_BATCH_BYTES = 1024 * 1024
/** A press that fails so often in a row while others are stored is a bug, and given up. */
const MAX_STRIKES = 5
/** How often the webhook is looked at. */
const LOOK_MS = 300_000

const ME = z.object({ id: z.int() })
const INFO = z.object({
  url: z.string(),
  allowed_updates: z.array(z.string()).default([]),
  pending_update_count: z.int().default(0),
  last_error_date: z.int().default(0),
  last_error_message: z.string().default(''),
})
const BATCH = z.array(z.unknown())
const NUMBERED = z.object({ update_id: z.int() })

const addressOf = (publicHost: string) => `${publicHost}/api/chat/msgapp`

/** Asks for updates: the first time whether there are any, then until one comes or 30 s are over. */
export function openPoll({ api, take, signal, publicHost, changed, log }: Parts): Way {
  let bot: number | undefined
  let seconds = 0
  let limit = LIMIT
  let offset = 0
  let strikes = 0

  async function open(): Promise<number> {
    const { id } = ME.parse(await api('getMe', {}, { signal }))
    const { url } = INFO.parse(await api('getWebhookInfo', {}, { signal }))
    if (url !== '' && url.split('?')[0] !== addressOf(publicHost)) throw takenBy(url)
    if (url !== '') await api('deleteWebhook', {}, { signal })
    return id
  }

  async function batch(): Promise<readonly unknown[]> {
    const json = { offset, limit, timeout: seconds, allowed_updates: KINDS }
    const bounds = { withinMs: seconds * 1_000 + MARGIN_MS, maxBytes: MAX_BATCH_BYTES }
    try {
      return BATCH.parse(await api('getUpdates', json, { signal, ...bounds }))
    } catch (error) {
      if (error instanceof HttpFailure && error.kind === 'too_long') limit = 1
      throw error
    }
  }

  /** Telegram forgets what is below the offset. */
  function confirm(updates: readonly unknown[]): void {
    const numbers = updates.map((update) => NUMBERED.safeParse(update).data?.update_id ?? -1)
    if (numbers.length > 0 && Math.max(...numbers) < offset) throw new Error('updates came without numbers')
    offset = Math.max(offset, ...numbers.map((number) => number + 1))
  }

  function giveUp(updates: readonly unknown[]): void {
    log.error({}, 'a press of msgapp cannot be stored, others can; it is lost')
    confirm(updates)
    strikes = 0
  }

  return {
    bot: () => bot,
    async turn() {
      const id = bot ?? (await open())
      bot = id
      const updates = await batch()
      changed({ state: 'up' })
      seconds = POLL_S
      limit = LIMIT
      const taken = await Promise.all(updates.map((update) => take(update, id)))
      const failed = taken.indexOf('not_stored')
      confirm(failed < 0 ? updates : updates.slice(0, failed))
      strikes = failed === 0 && taken.includes('stored') ? strikes + 1 : 0
      if (strikes === MAX_STRIKES) giveUp(updates.slice(0, 1))
      if (failed >= 0) throw new Error('a press was not stored')
    },
    failed(state) {
      bot = undefined
      // After a conflict only a poll that nobody ends is one that works.
      if (state !== 'refused') seconds = 0
    },
  }
}

/** Sets the webhook once. Another program that sets its own has the bot from then on. */
export function openWebhook({ api, signal, publicHost, secretToken, clock, changed, pause }: Parts): Way {
  /** Telegram does not say which secret it has: 16 bits in the address tell one from another. */
  const own = `${addressOf(publicHost)}?${hash('sha256', secretToken).slice(0, 4)}`
  let bot: number | undefined
  let wasSet = false
  return {
    bot: () => bot,
    async turn() {
      bot = ME.parse(await api('getMe', {}, { signal })).id
      const info = INFO.parse(await api('getWebhookInfo', {}, { signal }))
      const isOwn = info.url === own && info.allowed_updates.join() === KINDS.join()
      if (!isOwn && wasSet) throw takenBy(info.url)
      if (!isOwn) await api('setWebhook', { url: own, secret_token: secretToken, allowed_updates: KINDS }, { signal })
      wasSet = true
      const sinceMs = clock.now() - info.last_error_date * 1_000
      if (isOwn && info.pending_update_count > 0 && sinceMs < LOOK_MS) throw new Error(info.last_error_message)
      changed({ state: 'up' })
      await pause(LOOK_MS)
    },
    failed() {},
  }
}
