import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../../../test/harness/statistics.ts'
import { measure, type Tables, type TrialOptions } from '../../report.ts'
import type { Server } from '../../servers/server.ts'
import { alertmanagerVersion, startAlertmanager, startService } from '../../servers/start.ts'
import { alertOf, postAlerts } from './bodies.ts'
import { inTurn, ratios, type Subject } from './subjects.ts'

/** From the POST of a new alert to its arrival at a web hook, one alert after the other. */
export interface ToldCase {
  readonly alerts: number
  readonly rounds: number
}

const MOST_RATIO = 1
const MOST_MS = 50
/** Between two alerts. */
const PAUSE_MS = 20
const NOTHING = () => {}

/** A chat that says when a message comes. */
interface Chat {
  readonly url: string
  received: () => void
  close(): void
}

export async function measureTold({ progress }: TrialOptions, { alerts, rounds }: ToldCase): Promise<Tables> {
  const samples: { readonly [subject in Subject]: number[] } = { service: [], alertmanager: [] }
  for (let round = 1; round <= rounds; round++)
    for (const subject of inTurn(round)) {
      progress(`from the POST to the chat, round ${round} of ${rounds}: ${subject}`)
      samples[subject].push(await sample(subject, alerts))
    }
  const { service, alertmanager } = samples
  return {
    [`alerts: milliseconds from the POST of an alert to the chat, beside Alertmanager ${alertmanagerVersion()} with group_wait 0s`]:
      [
        {
          alerts,
          'median ms': measure(service, 1, { atMost: MOST_MS }),
          'median ms Alertmanager': measure(alertmanager, 1),
          ratio: measure(ratios(service, alertmanager), 2, { atMost: MOST_RATIO }),
        },
      ],
  }
}

async function sample(subject: Subject, alerts: number): Promise<number> {
  const chat = await startChat()
  const server = await START[subject](chat.url)
  try {
    const took: number[] = []
    // A quarter of the alerts warms it up.
    for (let at = -Math.ceil(alerts / 4); at < alerts; at++) {
      const arrived = new Promise<void>((resolve) => Object.assign(chat, { received: resolve }))
      const body = JSON.stringify([alertOf(`db-${at}`, `Alert ${at}`)])
      const began = performance.now()
      await Promise.all([postAlerts(server.url, [body]), arrived])
      if (at >= 0) took.push(performance.now() - began)
      chat.received = NOTHING
      await pause(PAUSE_MS)
    }
    return median(took)
  } finally {
    await server.stop()
    chat.close()
  }
}

const UNLIMITED = { per_second: 1_000_000, burst: 1_000_000 }
const START: { readonly [subject in Subject]: (chat: string) => Promise<Server> } = {
  service: (url) =>
    startService({
      alert: { console: { enable: false }, officechat: { enable: true, flow_url: url, rate: UNLIMITED } },
    }),
  alertmanager: (url) =>
    startAlertmanager({
      route: { receiver: 'chat', group_by: ['...'], group_wait: '0s' },
      receivers: [{ name: 'chat', webhook_configs: [{ url }] }],
    }),
}

async function startChat(): Promise<Chat> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      chat.received()
      response.writeHead(202, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const chat: Chat = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`,
    received: NOTHING,
    close: () => void server.close(),
  }
  return chat
}
