import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const { url } = await startService()

const ROWS = 20_000

/** The answer of a service with `ROWS` incidents; the cursor is the number of the first row. */
function pageOf(first: number, limit: number) {
  const incidents = Array.from({ length: Math.min(limit, ROWS - first) }, (_, at) => incident(first + at))
  const next = first + incidents.length
  return { incidents, total: ROWS, next_cursor: next < ROWS ? String(next) : null }
}

function problemPageOf(first: number, limit: number) {
  const problems = Array.from({ length: Math.min(limit, ROWS - first) }, (_, at) => problem(first + at))
  const next = first + problems.length
  return { problems, firing: ROWS, next_cursor: next < ROWS ? String(next) : null }
}

const problem = (number: number) => ({
  id: number + 1,
  fingerprint: `f-${number}`,
  state: 'firing',
  title: `Problem number ${number}`,
  service: `service-${number % 50}`,
  severity: 'warning',
  level: 'warning',
  last_at: new Date(Date.UTC(2026, 2, 9) - number * 1_000).toISOString(),
  firing: 3,
  acked_at: null,
  acked_by: null,
  flap_score: 0,
})

const incident = (number: number) => ({
  id: `id-${number}`,
  title: `Incident number ${number}`,
  service: `service-${number % 50}`,
  severity: 'warning',
  status: 'firing',
  source: 'webhook',
  sender: 'custom',
  fingerprint: 'f',
  created_at: new Date(Date.UTC(2026, 2, 9) - number * 1_000).toISOString(),
  acked_at: null,
  acked_by: null,
  resolved_at: null,
  resolved_by: null,
  channels_enabled: [],
  channels_notified: [],
  notify_status: 'sent',
  notify_error: null,
  oncall_triggered: false,
  oncall_error: null,
  silence: null,
})

const LISTS = [
  ['incidents', 'Incident', pageOf],
  ['problems', 'Problem', problemPageOf],
] as const

for (const [name, noun, answer] of LISTS) {
  test(`a list of 20,000 ${name} is scrolled to its end with less than 100 rows in the document`, async (t) => {
    const { page, complaints } = await visit(t, url)
    await page.route(`**/api/admin/${name}?*`, (route) => {
      const query = new URL(route.request().url()).searchParams
      return route.fulfill({ json: answer(Number(query.get('cursor') ?? 0), Number(query.get('limit'))) })
    })
    await signIn(page)
    await page.goto(`${url}/#/${name}`)
    await page.getByText(`${noun} number 0`, { exact: true }).waitFor()
    const last = page.getByText(`${noun} number ${ROWS - 1}`, { exact: true })
    while ((await last.count()) === 0) await page.evaluate('document.querySelector(".virtual").scrollTop = 1e9')
    assert.ok((await page.locator('.virtual-row').count()) < 100)
    await page.keyboard.press('k')
    await page.evaluate('document.querySelector(".virtual").scrollTop = 0')
    await page.getByText(`${noun} number 0`, { exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })
}

const EVENTS_A_MESSAGE = 500
const KEPT = 5_000

test('in a flood the live tail keeps its rows and its memory bounded', async (t) => {
  const { page, complaints } = await visit(t, url)
  const flood = await floodOf(page)
  await signIn(page)
  await page.goto(`${url}/#/tail`)
  await flood.pour(4 * KEPT)
  const before = await heapBytes(page)
  await flood.pour(12 * KEPT)
  const after = await heapBytes(page)
  assert.ok(after < before + 5_000_000, `the heap went from ${before} to ${after} bytes`)
  assert.ok((await page.locator('.virtual-row').count()) < 100)
  await page.keyboard.press(' ')
  const shown = await page.locator('.event-title').first().textContent()
  await flood.pour(EVENTS_A_MESSAGE)
  await page.getByRole('button', { name: '500 new, jump to the newest' }).waitFor()
  assert.equal(await page.locator('.event-title').first().textContent(), shown)
  await page.getByRole('button', { name: /jump to the newest/ }).click()
  await page.getByText(flood.newest(), { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

/** Takes the place of the service for the WebSocket of the tail. */
async function floodOf(page: Page) {
  let number = 0
  const opened = Promise.withResolvers<(message: string) => void>()
  await page.routeWebSocket(/api\/admin\/tail/, (socket) => {
    if (socket.url().includes('kinds=stats')) return
    opened.resolve((message) => socket.send(message))
  })
  const newest = () => `Event number ${number}`
  return {
    newest,
    /** Sends this number of events and waits until the newest is visible. */
    async pour(events: number): Promise<void> {
      const send = await opened.promise
      for (let sent = 0; sent < events; sent += EVENTS_A_MESSAGE) {
        send(Array.from({ length: EVENTS_A_MESSAGE }, () => eventOf(++number)).join('\n'))
        if (sent % KEPT === 0) await page.evaluate('new Promise(requestAnimationFrame)')
      }
      if ((await page.locator('.unseen').count()) === 0 && (await page.getByText('Resume').count()) === 0)
        await page.getByText(newest(), { exact: true }).waitFor()
    },
  }
}

const eventOf = (number: number) =>
  JSON.stringify({
    id: `id-${number}`,
    at: '2026-03-09T02:41:17.204Z',
    kind: 'delivery',
    incident_id: `id-${number}`,
    title: `Event number ${number}`,
    severity: 'critical',
    channel: 'chatws',
    state: 'sent',
    attempt: 1,
    detail: '',
    next_attempt_at: null,
    accept_to_confirmed_ms: 12.5,
  })

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
