import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { alertFor, startProviders } from '../../src/commands/simulate.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { launchChromium } from './chromium.ts'
import { groupPicture } from './group-picture.ts'
import { pictureSystem } from './picture-system.ts'
import { stormPicture } from './storm-picture.ts'

const FOLDER = join(import.meta.dirname, '../../docs/pictures')
const MAX_BYTES = 300_000
/** Length of the time axis: the lines of the charts begin at the left edge. */
const PLAY_SECONDS = 180
/** Milliseconds that a stand-in takes to answer. */
const ANSWER_MS = { chatws: 120, msgapp: 70, messenger: 180, officechat: 240, workchat: 150, email: 130, webhook: 90 }

type Alert = readonly [name: string, service: string, severity: string, summary: string]

const ALERTS: readonly Alert[] = [
  ['CheckoutErrorRate', 'checkout', 'critical', '6.1 % of the payments fail'],
  ['ReplicationLag', 'orders-db', 'warning', 'Standby is 95 s behind'],
  ['CertificateExpires', 'edge-proxy', 'warning', 'The certificate of shop.example.net ends in 6 days'],
  ['PodRestarts', 'recommendations', 'warning', '7 restarts within 10 minutes'],
  ['LatencyHigh', 'search-api', 'high', 'p99 is 2.4 s, the objective is 800 ms'],
  ['DeployFinished', 'storefront', 'info', 'Release 2026.11.3 runs on all pods'],
  ['LoginFailures', 'identity', 'critical', 'A third of the logins fail'],
  ['DiskAlmostFull', 'orders-db', 'critical', 'Less than 4 % left on db-03. Writes stop in about 38 minutes.'],
]

function alertOf([alertname, service, severity, summary]: Alert, resolved: boolean): object {
  const status = resolved ? 'resolved' : 'firing'
  const labels = { alertname, service, severity, cluster: 'fra-1' }
  const annotations = { summary, runbook_url: `https://runbooks.example.net/${alertname.toLowerCase()}` }
  const generatorURL = `https://prometheus.example.net/graph?g0.expr=${alertname}`
  const startsAt = new Date(Date.now() - 240_000).toISOString()
  const endsAt = resolved ? new Date().toISOString() : '0001-01-01T00:00:00Z'
  return {
    version: '4',
    receiver: 'tocsin',
    status,
    truncatedAlerts: 0,
    groupKey: `{}:{alertname="${alertname}", service="${service}"}`,
    alerts: [{ status, labels, annotations, startsAt, endsAt, generatorURL }],
    groupLabels: { alertname },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: 'https://alertmanager.example.net',
  }
}

/** Sends 1 to 11 alerts per second, every second one a resolution. A person acknowledges each after 4 s. */
async function play(url: string): Promise<void> {
  for (let number = 0, second = 0; second < PLAY_SECONDS; second++) {
    const count = Math.round(3 + 2 * Math.sin(second / 9) + (second % 70 > 58 ? 6 : 0))
    for (let each = 0; each < count; each++, number++) {
      const alert = ALERTS[(number * 5) % ALERTS.length] as Alert
      void raise(url, alertOf(alert, number % 2 === 1)).then((id) => acknowledge(url, id))
      await sleep(1_000 / count)
    }
  }
}

async function raise(url: string, payload: object): Promise<string> {
  const answer = await post(url, payload)
  return answer.headers.get('x-incident-id') ?? ''
}

async function acknowledge(url: string, id: string): Promise<void> {
  await sleep(4_000)
  await fetch(`${url}/api/admin/incidents/${id}/ack`, {
    method: 'POST',
    headers: { 'X-Gateway-Secret': SECRET, 'Content-Type': 'application/json' },
    body: JSON.stringify({ by: 'Maren' }),
  })
}

async function open(browser: Browser, url: string, [width, height, deviceScaleFactor]: [number, number, number]) {
  const viewport = { width, height }
  const place = { colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' } as const
  const page = await browser.newPage({ viewport, deviceScaleFactor, ...place })
  await page.goto(url)
  await page.getByLabel('Gateway secret').fill(SECRET)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Latest incidents').waitFor()
  return page
}

/** `npm run docs:pictures`: takes the pictures of the documentation from the real service, in about four minutes. */
async function main(): Promise<void> {
  const providers = await startProviders(0)
  const pager = await startProvider('webhook')
  const all = { ...providers, webhook: pager }
  for (const [name, provider] of Object.entries(all))
    provider.script = () => ({ after: sleep(ANSWER_MS[name as keyof typeof ANSWER_MS]) })
  const webhook = { url: pager.url, secret: 'simulated' }
  const oncall = { enable: true, wait_minutes: 1.5, provider: 'webhook', public_host: 'https://tocsin.example.net' }
  const sections = { alert: alertFor(providers), delivery: {}, oncall: { ...oncall, webhook } }
  const system = await pictureSystem(sections)
  const { url } = system
  const browser = await launchChromium()
  try {
    const overview = await open(browser, url, [1440, 892, 1])
    console.log(`Incidents are sent for ${PLAY_SECONDS} seconds.`)
    await play(url)
    // One of the last becomes a dead letter.
    providers.msgapp.next({ status: 403, body: { ok: false, description: 'Forbidden: bot was kicked' } })
    let last = ''
    for (const [at, alert] of ALERTS.entries()) {
      last = await raise(url, alertOf(alert, at % 3 === 2))
      await sleep(2_500)
    }
    await overview.screenshot({ path: join(FOLDER, 'dashboard.png') })
    const detail = await open(browser, url, [520, 900, 2])
    await detail.goto(`${url}/#/incidents/${last}`)
    await detail.getByRole('tab', { name: 'chatws' }).click()
    await detail.locator('.look-chatws').screenshot({ path: join(FOLDER, 'message.png') })
    providers.chatws.script = () => undefined
    await groupPicture(browser, providers, join(FOLDER, 'group.png'))
    await stormPicture(browser, providers, join(FOLDER, 'storm.png'))
  } finally {
    await browser.close()
    await system.stop()
    await Promise.all(Object.values(all).map((provider) => provider.close()))
  }
  for (const name of ['dashboard.png', 'message.png', 'group.png', 'storm.png']) {
    const { size } = statSync(join(FOLDER, name))
    console.log(`docs/pictures/${name}: ${Math.round(size / 1_000)} kB`)
    if (size > MAX_BYTES) throw new Error(`docs/pictures/${name} is larger than ${MAX_BYTES / 1_000} kB`)
  }
}

await main()
