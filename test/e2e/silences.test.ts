import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService({
  silences: [
    {
      name: 'patch night',
      match: { service: 'storage' },
      schedule: [{ cron: '0 2 * * *', for: '2h', time_zone: 'Europe/Berlin' }],
      until: new Date(Date.now() + 100 * 24 * 3_600_000).toISOString().slice(0, 10),
      owner: 'storage team',
      comment: 'nightly patches',
    },
  ],
})
const STORED = 30
for (let nth = 0; nth < STORED; nth++) await service.raise({ title: `Disk ${nth} is slow`, ServiceName: 'storage' })

/** Fills the form but its conditions, makes the silence, and waits for its page. */
async function make(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Owner').fill('Ada')
  await page.getByLabel('Comment').fill('the new index is being built')
  await page.getByRole('button', { name: 'Make the silence' }).click()
  await page.getByRole('article', { name: 'Silence' }).getByRole('heading', { name }).waitFor()
}

test('the form shows what the silence would have held, as it is typed', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences`)
  await page.getByRole('link', { name: 'New silence' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  const value = page.getByLabel('Value 1')
  await value.fill('nobody')
  await preview.getByText('Incidents held').waitFor()
  await preview.locator('.figure', { hasText: 'Incidents held' }).getByText('0', { exact: true }).waitFor()
  await value.fill('stor*')
  await preview.locator('.figure', { hasText: 'Incidents held' }).getByText(String(STORED), { exact: true }).waitFor()
  await preview.getByText(/more than half of all incidents/).waitFor()
  await page.getByLabel('Owner').fill('Ada')
  await page.getByLabel('Comment').fill('too broad')
  assert.ok(await page.getByRole('button', { name: 'Make the silence' }).isDisabled())
  await page.getByLabel('Field 1').fill('servise')
  await preview.locator('.error-text').waitFor()
  assert.deepEqual(
    complaints.filter((text) => !text.includes('400')),
    [],
  )
})

test('a silence made from an incident holds it, is extended and ended', async (t) => {
  const id = await service.raise({ title: 'Index is missing', ServiceName: 'search' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  await page.getByRole('link', { name: 'Silence this' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByRole('link', { name: 'Index is missing' }).waitFor()
  await make(page, 'new index')
  const silence = page.getByRole('article', { name: 'Silence' })
  const held = await service.raise({ title: 'Index is missing', ServiceName: 'search' })
  await silence.getByRole('link', { name: 'Index is missing' }).waitFor()
  const ends = silence.locator('.facts time').nth(1)
  const before = await ends.getAttribute('datetime')
  await silence.getByRole('button', { name: 'Extend by 1 h' }).click()
  await page.getByText('Extended by 1 h').waitFor()
  await silence.locator(`.facts time[datetime="${before}"]`).waitFor({ state: 'detached' })
  assert.equal(Date.parse((await ends.getAttribute('datetime')) ?? '') - Date.parse(before ?? ''), 3_600_000)
  const address = page.url()
  await page.goto(`${service.url}/#/incidents/${held}`)
  await page.getByText('Held').first().waitFor()
  await page.getByRole('tab', { name: 'Why' }).click()
  await page.getByRole('region', { name: 'Why' }).getByText('new index').first().waitFor()
  await page.getByRole('region', { name: 'Why' }).getByRole('link', { name: 'Open the silence' }).click()
  await silence.getByRole('heading', { name: 'new index' }).waitFor()
  assert.equal(page.url(), address)
  await silence.getByRole('button', { name: 'End now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
  await silence.locator('.detail-marks').getByText('Ended').waitFor()
  await service.chat.waitFor(({ body }) => body.includes('Index is missing'))
  assert.deepEqual(complaints, [])
})

test('a recurring silence of the configuration is in the calendar, and only to be read', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences`)
  const calendar = page.locator('.silence-calendar')
  await calendar
    .getByRole('link', { name: /patch night/ })
    .first()
    .waitFor()
  assert.ok((await calendar.getByRole('link', { name: /patch night/ }).count()) >= 13)
  await calendar
    .getByRole('link', { name: /patch night/ })
    .first()
    .click()
  await page.getByText('From the configuration').waitFor()
  await page.getByText(/config\.(yaml|json):\d+/).waitFor()
  assert.equal(await page.getByRole('article', { name: 'Silence' }).getByRole('button').count(), 0)
  assert.deepEqual(complaints, [])
})

/** The value of a field for a local time so many days ahead. */
const localIn = (days: number) => {
  const at = new Date(Date.now() + days * 24 * 3_600_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

test('a recurring silence is made in the page, stands in the timeline and the calendar, and is ended', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences/new?service=archive`)
  await page.getByRole('tab', { name: 'Recurring' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.locator('.error-text').waitFor()
  await page.getByLabel('Begins (cron)').fill('30 3 * * *')
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await page.getByLabel('Until, at most a year').fill(localIn(60))
  await preview.getByText('Incidents held').waitFor()
  await make(page, 'archive nights')
  const silence = page.getByRole('article', { name: 'Silence' })
  await silence.getByText('Recurring', { exact: true }).waitFor()
  await silence.getByText('30 3 * * *, for 2h, Europe/Berlin').waitFor()
  await silence.getByText('Recurs until').waitFor()
  const address = page.url()
  await page.goto(`${service.url}/#/silences`)
  const line = page.locator('.silence-timeline .silence-line', { hasText: 'archive nights' })
  await line.locator('.silence-span').first().waitFor()
  const windows = await line.locator('.silence-span').count()
  assert.ok(windows >= 2 && windows <= 3, `${windows} windows in two days`)
  const words = (await line.getByRole('img').getAttribute('aria-label'))?.split('; ') ?? []
  assert.equal(words.length, windows)
  assert.ok(
    (await page
      .locator('.silence-calendar')
      .getByRole('link', { name: /archive nights/ })
      .count()) >= 13,
  )
  await line.getByRole('link', { name: 'archive nights' }).click()
  assert.equal(page.url(), address)
  await silence.getByRole('button', { name: 'End for good' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
  await silence.locator('.detail-marks').getByText('Ended').waitFor()
  assert.deepEqual(
    complaints.filter((text) => !text.includes('400')),
    [],
  )
})

test('a silence behind a problem names its cause while that fires', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences/new?service=shelf`)
  await page.getByRole('tab', { name: 'While a problem fires' }).click()
  await page.getByLabel('Cause value 1').fill('power')
  await page.getByLabel('Until, at most a year').fill(localIn(60))
  await page.getByRole('region', { name: 'Preview' }).getByText('Incidents held').waitFor()
  await make(page, 'behind the power')
  const silence = page.getByRole('article', { name: 'Silence' })
  await silence.getByText('waits until service power fires').waitFor()
  const power = { title: 'Power is out', ServiceName: 'power', fingerprint: 'power-out' }
  await service.raise(power)
  await silence.getByRole('heading', { name: 'In force because of' }).waitFor()
  await service.raise({ title: 'Shelf is dark', ServiceName: 'shelf' })
  await silence.getByRole('link', { name: 'Shelf is dark' }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByRole('link', { name: 'Silences' }).first().click()
  const line = page.locator('.silence-timeline .silence-line', { hasText: 'behind the power' })
  await line.locator('.silence-span').waitFor()
  await page.locator('.silence-row', { hasText: 'behind the power' }).getByText('while service power fires').waitFor()
  await service.raise({ ...power, status: 'resolved' })
  await service.chat.waitFor(({ body }) => body.includes('Shelf is dark'))
  assert.deepEqual(complaints, [])
})

test('a silence until resolved is made from a problem, lists it, and ends with it', async (t) => {
  const leak = { title: 'Pipe leaks', ServiceName: 'cellar', fingerprint: 'leak*' }
  const id = await service.raise(leak)
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  await page.getByRole('link', { name: 'Silence until resolved' }).click()
  await page.getByText(/^Problem \d+, and no other$/).waitFor()
  await page.getByRole('combobox', { name: 'Quiet for' }).selectOption('1m')
  await make(page, 'known leak')
  const silence = page.getByRole('article', { name: 'Silence' })
  await silence.getByRole('heading', { name: 'Lasts because of' }).waitFor()
  await silence.getByRole('link', { name: 'Pipe leaks' }).waitFor()
  assert.equal(await silence.getByText('unless one fires').count(), 0)
  assert.deepEqual(await seriousViolations(page), [])
  await service.raise({ ...leak, status: 'resolved' })
  await silence.getByText('unless one fires').waitFor()
  await page.goto(`${service.url}/#/problems`)
  await page.getByRole('searchbox', { name: 'Search problems' }).fill('Pipe leaks')
  await page.getByRole('link', { name: 'Pipe leaks' }).first().click()
  await page.getByRole('link', { name: 'Silence this' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Silence until resolved' }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('a silence that ends within the hour is among what needs attention', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences/new?service=billing`)
  await page.getByRole('combobox', { name: 'For' }).selectOption('30m')
  await make(page, 'short one')
  await page.goto(`${service.url}/#/`)
  await page.getByRole('link', { name: /Silence short one ends in/ }).click()
  await page.getByRole('heading', { name: 'short one' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the live tail tells when a silence begins', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/silences/new?service=printer`)
  const other = await page.context().newPage()
  await other.goto(service.url)
  await signIn(other)
  await other.getByRole('link', { name: 'Live tail' }).click()
  await other.getByText('connected').waitFor()
  await make(page, 'paper jam')
  await other.getByRole('link', { name: /silence.*paper jam.*Began/ }).click()
  await other.getByRole('heading', { name: 'paper jam' }).waitFor()
  assert.deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the pages of silences have no serious violation of accessibility and fit a phone, ${colorScheme}`, async (t) => {
    const { page } = await visit(t, service.url, { colorScheme })
    await signIn(page)
    for (const [place, text] of [
      ['silences', 'Timeline'],
      ['silences/new?service=stor*', 'Pages held'],
      ['silences/1', 'Owner'],
    ] as const) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${service.url}/#/${place}`)
      await page.locator('main').getByText(text).first().waitFor()
      assert.deepEqual(await seriousViolations(page), [], place)
      await page.setViewportSize({ width: 360, height: 740 })
      const overflow = 'document.documentElement.scrollWidth - innerWidth + (main.scrollWidth - main.clientWidth)'
      assert.equal(await page.evaluate(overflow), 0, place)
    }
  })
}
