import { Agent, request } from 'undici'
import { markOf, preciseNow } from './due-time.ts'
import { Latencies } from './latencies.ts'
import { groupedAlert } from './payload.ts'

/**
 * An open loop in a process of its own: `steady.ts URL PER_SECOND SECONDS`. Every incident is posted at its own time, whatever became of
 * those before, and everything is counted from that time, so that nothing which is late hides how late it is. Its text tells the time.
 * With 0 per second a closed loop: so many connections post again as soon as they are answered. Prints what it came to.
 */
const [url = '', perSecond = '0', seconds = '0'] = process.argv.slice(2)
const rate = Number(perSecond)
const forMs = Number(seconds) * 1_000
const TICK_MS = 1
const CONNECTIONS = 256
const CLOSED_LOOP = 64
/** Times that every connection is used before anything counts. */
const WARM_UP_ROUNDS = 4

const dispatcher = new Agent({ connections: CONNECTIONS })
const headers = { 'content-type': 'application/json' }
const MARK = 'here stands the time'
const [head = '', tail = ''] = JSON.stringify(groupedAlert(MARK)).split(MARK)
const answers = new Latencies()
const counts = { accepted: 0, refused: 0 }

async function post(dueMs: number): Promise<void> {
  const body = `${head}${markOf(dueMs)}${tail}`
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    counts[answer.statusCode === 201 ? 'accepted' : 'refused']++
  } catch {
    counts.refused++
  }
  answers.add(preciseNow() - dueMs)
}

/** A client that is cold would be measured as a service that is late. Nothing is posted. */
async function warmUp(): Promise<void> {
  const health = new URL('/healthz', url)
  const ask = async () => (await request(health, { dispatcher })).body.dump()
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await Promise.all(Array.from({ length: CONNECTIONS }, ask))
}

await warmUp()
const began = preciseNow()

async function evenly(): Promise<void> {
  const all = Math.round((rate * forMs) / 1_000)
  const posts: Promise<void>[] = []
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(all, 1 + Math.floor(((preciseNow() - began) / 1_000) * rate))
      while (posts.length < due) posts.push(post(began + (posts.length / rate) * 1_000))
      if (posts.length < all) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
  })
  await Promise.all(posts)
}

async function inTurn(): Promise<void> {
  const line = async () => {
    while (preciseNow() - began < forMs) await post(preciseNow())
  }
  await Promise.all(Array.from({ length: CLOSED_LOOP }, line))
}

await (rate > 0 ? evenly() : inTurn())
const tookSeconds = (preciseNow() - began) / 1_000
console.log(JSON.stringify({ ...counts, seconds: tookSeconds, curve: answers.curve() }))
await dispatcher.close()
