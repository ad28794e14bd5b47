import { Agent, request } from 'undici'
import { dueTimeText, preciseNow } from './due-time.ts'
import { Latencies } from './latencies.ts'
import type { LoadOptions, LoadOutcome } from './open-loop.ts'
import { groupedAlert } from './payload.ts'

/**
 * The process behind `postOpenLoop`: `open-loop-client.ts URL OPTIONS`. In an open loop each incident is posted at its
 * own time, even when earlier answers are late, and its latency counts from that time: no coordinated omission. Prints
 * a `LoadOutcome`.
 */
const [base = '', options = '{}'] = process.argv.slice(2)
const { perSecond, seconds, connections = 0, whenBusy = 'queue' }: LoadOptions = JSON.parse(options)
const forMs = seconds * 1_000
const TICK_MS = 1
const OPEN_LOOP_CONNECTIONS = 256
const CLOSED_LOOP_CONNECTIONS = 64
/** Requests per connection before the measurement starts: a cold client would be measured as a slow service. */
const WARM_UP_ROUNDS = 4
const MAX_ANSWER_MS = 20_000

const most = connections || (perSecond > 0 ? OPEN_LOOP_CONNECTIONS : CLOSED_LOOP_CONNECTIONS)
const dispatcher = new Agent({ connections: most, headersTimeout: MAX_ANSWER_MS, bodyTimeout: MAX_ANSWER_MS })
const headers = { 'content-type': 'application/json' }
const url = `${base}/api/incidents`
const TIME_HERE = 'here stands the time'
const [head = '', tail = ''] = JSON.stringify(groupedAlert(TIME_HERE)).split(TIME_HERE)
const answers = new Latencies()
const statuses: { [status: string]: number } = {}
let underWay = 0

async function post(dueMs: number): Promise<void> {
  underWay++
  const status = await postOnce(`${head}${dueTimeText(dueMs)}${tail}`).catch(() => 'none')
  underWay--
  statuses[status] = (statuses[status] ?? 0) + 1
  answers.add(preciseNow() - dueMs)
}

async function postOnce(body: string): Promise<string> {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
  return String(answer.statusCode)
}

async function warmUp(): Promise<void> {
  const ask = async () => (await request(`${base}/healthz`, { dispatcher })).body.dump()
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await Promise.all(Array.from({ length: most }, ask))
}

await warmUp()
const began = preciseNow()

async function openLoop(): Promise<void> {
  const all = Math.round((perSecond * forMs) / 1_000)
  const posts = new Set<Promise<void>>()
  let due = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = Math.min(all, 1 + Math.floor(((preciseNow() - began) / 1_000) * perSecond))
      for (; due < now; due++) {
        if (whenBusy === 'skip' && underWay >= most) continue
        const posting = post(began + (due / perSecond) * 1_000).then(() => void posts.delete(posting))
        posts.add(posting)
      }
      if (due < all) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
  })
  await Promise.all(posts)
}

async function closedLoop(): Promise<void> {
  const connection = async () => {
    while (preciseNow() - began < forMs) await post(preciseNow())
  }
  await Promise.all(Array.from({ length: most }, connection))
}

await (perSecond > 0 ? openLoop() : closedLoop())
const tookSeconds = (preciseNow() - began) / 1_000
const { 201: accepted = 0, ...others } = statuses
const refused = Object.values(others).reduce((sum, count) => sum + count, 0)
const outcome: LoadOutcome = { statuses, accepted, refused, seconds: tookSeconds, curve: answers.curve() }
console.log(JSON.stringify(outcome))
await dispatcher.close()
