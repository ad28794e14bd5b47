import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService()
const { url } = service
await service.raiseSamples()
service.chat.script = () => ({ status: 200, body: JSON.stringify({ ok: false, error: 'is_archived' }) })
const id = await service.raise({ title: 'Given up', ServiceName: 'ledger', severity: 'critical' })
for (let line = 0; line < 5; line++) service.writeLog(`ERROR replica ${line} is behind`)

const PAGES = [
  ['', 'Nothing needs attention|dead letter'],
  ['problems', 'Given up'],
  ['problems/1', 'Latest incidents'],
  ['incidents', 'Given up'],
  ['incidents/ID', 'From arrival to delivery'],
  ['incidents/ID?view=why', 'Who was notified'],
  ['tail', 'Live tail'],
  ['noise', 'No digest yet'],
  ['silences', 'No silence yet'],
  ['silences/new', 'Write a condition'],
  ['heartbeats', 'No heartbeat is configured'],
  ['routes', 'What would happen'],
  ['rehearsal', 'What would change'],
  ['channels', 'chatws'],
  ['channels/dead', 'is_archived'],
  ['templates', 'Preview'],
  ['agent', 'Sources'],
  ['agent/patterns', 'replica'],
  ['agent/services', 'Service'],
  ['agent/prompt', 'Agent'],
  ['config', 'Configuration'],
] as const

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has a serious violation of accessibility, ${colorScheme}`, async (t) => {
    const { page } = await visit(t, url, { colorScheme })
    assert.deepEqual(await seriousViolations(page), [], 'signing in')
    await signIn(page)
    for (const [place, text] of PAGES) {
      await page.goto(`${url}/#/${place.replace('ID', id)}`)
      await page.locator('main').getByText(new RegExp(text)).first().waitFor()
      assert.deepEqual(await seriousViolations(page), [], place)
    }
  })
}

test('every page fits a small phone and a large wall screen', async (t) => {
  for (const [width, height] of [
    [360, 740],
    [3840, 2160],
  ] as const) {
    const { page, complaints } = await visit(t, url, { viewport: { width, height } })
    await signIn(page)
    for (const [place, text] of PAGES) {
      await page.goto(`${url}/#/${place.replace('ID', id)}`)
      await page.locator('main').getByText(new RegExp(text)).first().waitFor()
      const overflow = 'document.documentElement.scrollWidth - innerWidth + (main.scrollWidth - main.clientWidth)'
      assert.equal(await page.evaluate(overflow), 0, `${place} at ${width}`)
    }
    assert.deepEqual(complaints, [])
  }
})

const LONG = 'payments-settlement-reconciliation-worker-eu-central-1'
const AGES_S = [0, 80, 3_000, 7_800, 400_000]

test('in the latest incidents no part of a row covers another, whatever their names and ages', async (t) => {
  const { page } = await visit(t, url, { viewport: { width: 1280, height: 800 } })
  await page.route('**/api/admin/incidents?limit=8', async (route) => {
    const answer = await (await route.fetch()).json()
    const [row] = answer.incidents
    const rows = AGES_S.flatMap((age) =>
      [`Title of ${age}`, `A title that does not fit its column ${LONG}`].map((title) => ({
        ...row,
        title,
        id: `${title}-${age}`,
        service: LONG,
        status: 'resolved',
        created_at: new Date(Date.now() - age * 1_000).toISOString(),
      })),
    )
    await route.fulfill({ json: { ...answer, incidents: rows } })
  })
  await signIn(page)
  await page.locator('.latest-row').first().waitFor()
  for (const row of await page.locator('.latest-row').all()) {
    const boxes = await row.evaluate((element) => {
      const parts = element.querySelectorAll(
        '.severity, .latest-title > .cut, .chip, .latest-service, .latest-age > time',
      )
      return [...parts, element].map(
        (part) => part.getBoundingClientRect().toJSON() as { left: number; right: number; width: number },
      )
    })
    const edge = boxes.pop()
    assert.ok(boxes.every(({ width }) => width > 0))
    boxes.forEach(({ right }, at) => assert.ok(right <= (boxes[at + 1]?.left ?? edge?.right ?? 0), `part ${at}`))
    assert.ok((boxes[1]?.width ?? 0) > 40, 'the title keeps room')
  }
})
