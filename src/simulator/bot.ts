import { field, type KeptMessage, type Received, type Reply } from './exchange.ts'

/** Who presses, as Telegram describes people. */
interface Presser {
  readonly id: number
  readonly first_name: string
  readonly last_name?: string
}

/** What the program said to a press. */
interface SaidToPress {
  readonly callback_query_id: string
  readonly text?: string
  readonly show_alert?: boolean
}

type Update = { readonly update_id: number } & object
type Answer = Reply | Promise<Reply>

/**
 * The bot that a stand-in of Telegram has: its updates, and the methods by which a program takes them. They wait until
 * a poll confirms them, or a webhook answers with success.
 */
export class Bot {
  /** Of one program at a time. */
  webhook = { url: '', secret_token: '', allowed_updates: [] as readonly string[] }
  /** In the order of their arrival. */
  readonly said: SaidToPress[] = []
  readonly #messages: readonly KeptMessage[]
  readonly #pressed = new Set<string>()
  #updates: readonly Update[] = []
  #received = 0
  #lastError: string | undefined
  #pushing: Promise<void> = Promise.resolve()
  /** Ends the poll under way. */
  #endPoll: ((reply?: Reply) => void) | undefined

  constructor(messages: readonly KeptMessage[]) {
    this.#messages = messages
  }

  /** Number of updates that no program has confirmed. */
  get waiting(): number {
    return this.#updates.length
  }
  /** A poll waits for an update. */
  get isPolled(): boolean {
    return this.#endPoll !== undefined
  }

  /** Presses a button of a message. `messageId`: its number, from 1. */
  press(messageId: number, token: string, from: Presser): void {
    const chat = this.#messages[messageId - 1]?.chat ?? ''
    const id = String(8_000_000_000 + this.#pressed.size)
    this.#pressed.add(id)
    const message = {
      message_id: messageId,
      date: 1_700_000_000,
      chat: { id: Number(chat) || -1, type: chat.startsWith('-') ? 'supergroup' : 'private' },
      text: this.#messages[messageId - 1]?.text,
    }
    const query = { id, from: { is_bot: false, ...from }, message, chat_instance: '1', data: token }
    this.receive({ callback_query: query })
  }

  /** Hands an update to the poll or the webhook of the program. */
  receive(update: object): void {
    this.#updates = [...this.#updates, { update_id: 500_000_000 + this.#received++, ...update }]
    this.#endPoll?.()
    void this.push()
  }

  /** Hands what waits to the webhook; resolves after its first failure. */
  push(): Promise<void> {
    this.#pushing = this.#pushing.then(async () => {
      const { url, secret_token } = this.webhook
      for (const update of url === '' ? [] : this.#updates) {
        const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret_token }
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) }).catch(
          () => undefined,
        )
        this.#lastError = answer?.ok ? undefined : `Wrong response from the webhook: ${answer?.status ?? 'none'}`
        if (!answer?.ok) return
        this.#updates = this.#updates.filter((each) => each !== update)
      }
    })
    return this.#pushing
  }

  /** Returns the answer to a request that sends no message; undefined: it sends one. */
  answer({ path, json }: Received): Answer | undefined {
    const id = Number(/^\/bot(\d+):/.exec(path)?.[1])
    switch (path.split('/').at(-1)) {
      case 'getMe':
        return ok({ id, is_bot: true, first_name: 'Tocsin', username: 'tocsin_bot' })
      case 'getWebhookInfo':
        return ok(this.#webhookInfo())
      case 'setWebhook':
        return this.#setWebhook(json as Partial<Bot['webhook']>)
      case 'deleteWebhook':
        return this.#setWebhook({})
      case 'getUpdates':
        return this.#poll(json)
      case 'answerCallbackQuery':
        this.said.push(json as SaidToPress)
        return this.#pressed.has(field(json, 'callback_query_id')) ? ok(true) : TOO_OLD
    }
    return undefined
  }

  #webhookInfo(): object {
    const { url, allowed_updates } = this.webhook
    const error = this.#lastError && { last_error_date: 1_700_000_000, last_error_message: this.#lastError }
    return { url, has_custom_certificate: false, pending_update_count: this.#updates.length, allowed_updates, ...error }
  }

  #setWebhook({ url = '', secret_token = '', allowed_updates = [] }: Partial<Bot['webhook']>): Reply {
    this.webhook = { url, secret_token, allowed_updates }
    void this.push()
    return ok(true)
  }

  #poll(json: unknown): Answer {
    if (this.webhook.url !== '') return conflict("can't use getUpdates method while webhook is active")
    this.#endPoll?.(conflict('terminated by other getUpdates request; make sure that only one bot instance is running'))
    const from = Number(field(json, 'offset'))
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= from)
    const found = () => ok(this.#updates.slice(0, Number(field(json, 'limit')) || 100))
    const seconds = Number(field(json, 'timeout'))
    if (this.#updates.length > 0 || !(seconds > 0)) return found()
    return new Promise((resolve) => {
      const end = (reply = found()) => {
        resolve(reply)
        if (this.#endPoll === end) this.#endPoll = undefined
      }
      this.#endPoll = end
      setTimeout(end, seconds * 1_000).unref()
    })
  }
}

const ok = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } })

/** An error of Telegram. */
export function appError(error_code: number, description: string, details: object = {}): Reply {
  return { status: error_code, body: { ok: false, error_code, description, ...details } }
}
const conflict = (why: string) => appError(409, `Conflict: ${why}`)
const TOO_OLD = appError(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
