import { createHmac } from 'node:crypto'
import { field, type Received } from '../../src/simulator/exchange.ts'

interface GatewayOptions {
  readonly secret: string
  /** States that the program reports of a page, in their order; none: it takes the page and stays silent. */
  readonly reports: readonly string[]
  readonly detail?: string
  /** Epoch milliseconds; absent: those of the machine. */
  now?(): number
}

/**
 * Reports as a program behind a gateway does, to the callback address of the page that it got: one that reaches a person, one whose
 * person answers or declines, one that fails. Returns the statuses of the answers. Throws for a page whose signature is wrong.
 */
export async function reportAll(page: Received, { secret, reports, detail, now = Date.now }: GatewayOptions) {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(page.headers['x-tocsin-signature'])) ?? []
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  if (sign(`${t}.${page.body}`) !== v1) throw new Error('the signature of the page is wrong')
  const statuses: number[] = []
  for (const state of reports) {
    const body = JSON.stringify({ id: field(page.json, 'id'), state, detail })
    const seconds = Math.floor(now() / 1_000)
    const headers = {
      'content-type': 'application/json',
      'x-tocsin-signature': `t=${seconds},v1=${sign(`${seconds}.${body}`)}`,
    }
    const answer = await fetch(field(page.json, 'callback_url'), { method: 'POST', headers, body })
    statuses.push(answer.status)
  }
  return statuses
}
