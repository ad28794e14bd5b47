import { createTransport } from 'nodemailer'
import { Agent, request } from 'undici'

/**
 * The bare loop: `undici-loop.ts ADDRESSES WARM_UP COUNT BYTES CONCURRENCY`. Posts COUNT bodies of BYTES to each
 * address (mails to `smtp:` addresses), with CONCURRENCY requests under way. Prints the rate and the CPU time as JSON.
 */
const [addresses = '', warmUp = '0', count = '0', bytes = '0', concurrency = '1'] = process.argv.slice(2)

const urls = addresses.split(',')
const MAIL = urls.find((url) => url.startsWith('smtp:'))
const dispatcher = new Agent()
const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'tocsin' }
const body = JSON.stringify({ message: 'x'.repeat(Math.max(0, Number(bytes) - 14)) })

const maxConnections = Number(concurrency)
const mails = createTransport({ pool: true, maxConnections, maxMessages: Number.POSITIVE_INFINITY, url: MAIL })

async function post(url: string): Promise<void> {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher })
  await answer.body.text()
}

async function mail(): Promise<void> {
  await mails.sendMail({ from: 'a@example.net', to: 'b@example.net', subject: 'cannot write entry 4711', text: body })
}

async function loop(url: string, count: number): Promise<void> {
  const send = url === MAIL ? mail : post
  let left = count
  const line = async () => {
    while (left-- > 0) await send(url)
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, line))
}

const loops = (times: number) => Promise.all(urls.map((url) => loop(url, times)))
await loops(Number(warmUp))
const cpu = process.cpuUsage()
const began = performance.now()
await loops(Number(count))
const seconds = (performance.now() - began) / 1_000
const { user, system } = process.cpuUsage(cpu)
const posts = Number(count) * urls.length
console.log(JSON.stringify({ perSecond: posts / seconds, cpuMicros: (user + system) / posts }))
await dispatcher.close()
mails.close()
