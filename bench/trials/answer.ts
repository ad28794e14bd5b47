import { setTimeout as pause } from 'node:timers/promises'
import { startProvider } from '../../src/simulator/index.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { APP, blockActions, slackRequest } from '../../test/harness/slack/app.ts'
import { postEvenly } from '../load/post-evenly.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import { startService } from '../servers/start.ts'

export const title = 'answer: from a press of a button to its record on disk'

interface Case {
  /** Incidents a second that come in meanwhile. */
  readonly flood: number
  readonly presses: number
  readonly rounds: number
}

export function cases({ quick }: CaseOptions): Case[] {
  const size = quick ? { presses: 20, rounds: 1 } : { presses: 160, rounds: 3 }
  return [
    { flood: 0, ...size },
    { flood: 500, ...size },
  ]
}

/** Below the 10 presses a second that one channel takes. */
const EVERY_MS = 120
const GOAL_MS = 300

export async function run({ progress, curve }: TrialOptions, one: Case): Promise<Row[]> {
  const rounds: Latencies[] = []
  for (let round = 1; round <= one.rounds; round++) {
    progress(`round ${round} of ${one.rounds}: ${one.flood} incidents a second`)
    rounds.push(await pressed(one))
  }
  const load = one.flood === 0 ? 'at rest' : `${one.flood} incidents/s`
  curve({ plot: 'answer: press to record', name: load, x: 'percentile', points: rounds.at(-1)?.curve() ?? [] })
  const at = (percentile: number, goal?: { readonly atMost: number }) =>
    measure(
      rounds.map((each) => each.at(percentile)),
      1,
      goal,
    )
  return [{ load, presses: one.presses, 'ms p50': at(50), 'ms p99': at(99, { atMost: GOAL_MS }), 'ms max': at(100) }]
}

/** Presses the button of one message after the other, by signed requests, and takes the time until each is confirmed. */
async function pressed({ flood, presses }: Case): Promise<Latencies> {
  const chat = await startProvider('chatws')
  chat.script = ({ path }) =>
    path === '/api/auth.test' ? { status: 200, body: { ok: true, team_id: APP.team, user_id: 'U0BOT' } } : undefined
  const rate = { per_second: 1_000, burst: 1_000 }
  const server = await startService({
    public_host: 'http://127.0.0.1',
    alert: {
      chatws: {
        ...{ enable: true, token: APP.token, channel_id: 'C0ALERTS', api_url: chat.url, rate, concurrency: 16 },
        storm: { rate },
        answers: { mode: 'http', signing_secret: APP.signingSecret },
      },
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  try {
    for (let nth = 0; nth < presses; nth++) await post(url, { ServiceName: `service ${nth}`, Logs: `disk ${nth}` })
    while (chat.posts < presses) await pause(20)
    const messages = chat.taken.slice(0, presses).map(({ body }) => /"value":"(1a\.[^"]+)"/.exec(body)?.[1] ?? '')
    const seconds = (presses * EVERY_MS) / 1_000
    const flooding = flood > 0 && postEvenly(url, { count: flood * seconds, seconds, payloadOf: () => groupedAlert() })
    const took = new Latencies()
    for (const [at, token] of messages.entries()) {
      await pause(EVERY_MS)
      took.add(await press(url, token, at))
    }
    await flooding
    return took
  } finally {
    await server.stop()
    await chat.close()
  }
}

async function post(url: string, payload: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/incidents`, { method: 'POST', headers, body: JSON.stringify(payload) })
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
}

/** Returns the milliseconds from the request to its answer, which comes after the commit. */
async function press(url: string, token: string, at: number): Promise<number> {
  const message_ts = `1700000000.${String(at + 1).padStart(6, '0')}`
  const user = { id: `U0PERSON${at}`, username: 'ada.l', team_id: APP.team }
  const payload = blockActions(token, { user, container: { type: 'message', message_ts } })
  const { body, headers } = slackRequest(payload, Date.now())
  const from = performance.now()
  const answer = await fetch(`${url}/api/chat/chatws`, { method: 'POST', body, headers })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return performance.now() - from
}
