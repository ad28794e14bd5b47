import { Agent } from 'undici'
import type { Stats } from '../../api/stats.ts'
import { counted } from '../../domain/delivery/notice.ts'
import type { Provider, Received } from '../../simulator/index.ts'
import { callApi, type Service } from '../service.ts'
import { alertFor, indented, type Providers } from '../simulate.ts'

const ALERTS = 2_000
const IN_A_REQUEST = 100
const URGENT = 3
const PROBLEMS = ['Card declines', 'p99 above 2 s', 'Consumer lag', 'Pool exhausted', 'Health check failed'] as const
const SERVICES = ['payments', 'web', 'queue', 'orders-db', 'search', 'login', 'mail', 'cdn'] as const
const POLL_MS = 500

/** Returns an `alert` section with one chat, at the rate and with the storm rules that it has by default. */
export function stormAlert(providers: Providers): object {
  const { chatws } = alertFor(providers)
  return { chatws: { ...chatws, rate: { per_second: 1, burst: 4 } } }
}

/** Sends the alerts and prints what the chat receives; resolves when all of them are notified. */
export async function showStorm(url: string, chat: Provider, secret: string): Promise<void> {
  const startedAt = Date.now()
  const seconds = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`
  chat.script = (request) => {
    console.log(`\nafter ${seconds()}, ${isEdit(request) ? 'an edit' : 'a message'}\n${indented(sectionOf(request))}`)
    return undefined
  }
  console.log(`Sending ${ALERTS} alerts, ${URGENT} of them critical, to a chat that takes one message a second.`)
  for (let sent = 0; sent < ALERTS; sent += IN_A_REQUEST)
    await post(
      url,
      Array.from({ length: IN_A_REQUEST }, (_, n) => alertOf(sent + n)),
    )
  const service = { url, secret, dispatcher: new Agent() }
  while ((await waiting(service)) > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  console.log(
    `\nAll ${ALERTS} alerts were notified after ${seconds()}, by ${counted(chat.posts, 'message')} and ${counted(chat.edits, 'edit')}.`,
  )
}

/** Returns the text of a chatws message without its colour, blocks and address. */
export function sectionOf({ json }: Received): string {
  const { attachments } = json as { attachments: { blocks: { text?: { text: string } }[] }[] }
  return attachments.flatMap(({ blocks }) => blocks.flatMap(({ text }) => text?.text ?? [])).join('\n')
}

export const isEdit = ({ path }: Received) => path.endsWith('chat.update')

/** Returns alert `n`: urgent ones are spread evenly among the others. */
function alertOf(n: number): object {
  const service = SERVICES[n % SERVICES.length]
  if (n % Math.floor(ALERTS / URGENT) === 500) return { title: `${service} is down`, service, severity: 'critical' }
  return { title: PROBLEMS[Math.floor(n / SERVICES.length) % PROBLEMS.length], service, severity: 'error' }
}

/** Returns the number of incidents that are not notified yet. */
async function waiting(service: Service): Promise<number> {
  const { storage } = await callApi<Stats>(service, '/api/admin/stats')
  return storage === null ? ALERTS : storage.unapplied + storage.unfinished_deliveries
}

/** Posts incidents, one or a list. Throws when they are not accepted. */
export async function post(url: string, payload: unknown): Promise<void> {
  const answer = await fetch(`${url}/api/incidents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  })
  if (answer.status !== 201) throw new Error(`the sample was answered ${answer.status}: ${await answer.text()}`)
}
