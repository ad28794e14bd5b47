import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const LATER = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
const service = await startService({
  people: {
    ada: { name: 'Ada Lovelace', ways: [{ chatws: 'U0ADA00001' }] },
    ben: { name: 'Ben', ways: [{ chatws: 'U0BEN00001' }] },
    cleo: { name: 'Cleo', ways: [{ chatws: 'U0CLEO0001' }] },
  },
  oncall: {
    enable: true,
    escalation: 'office',
    escalations: { office: { steps: [{ notify: ['schedule:primary'] }, { after: '8m', notify: ['schedule:lead'] }] } },
    schedules: {
      primary: {
        time_zone: 'Europe/Berlin',
        layers: [
          {
            name: 'nights',
            start: '2026-01-05',
            at: '20:00',
            every: '1 day',
            on: ['Mon-Thu 20:00-08:00'],
            turns: 'on_duty',
            members: ['ben', 'cleo'],
          },
          { name: 'weeks', start: '2026-01-05', at: '09:00', every: '1 week', members: ['ada', 'ben'] },
        ],
        overrides: [{ from: `${LATER}T12:00`, until: `${LATER}T18:00`, person: 'nobody', by: 'Ben', reason: 'move' }],
      },
      lead: {
        time_zone: 'America/New_York',
        gaps: 'allowed',
        layers: [{ start: '2026-01-05', every: '1 week', on: ['Mon-Fri 08:00-18:00'], members: ['cleo'] }],
      },
    },
  },
})

test('an override is made by the form, stands in the calendar and the overview, and is ended', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/oncall`)
  const primary = page.getByRole('region', { name: 'Schedule primary' })
  await primary
    .getByRole('img', { name: /^Nobody, .*, override 1 of the file by Ben: move$/ })
    .first()
    .waitFor()
  assert.ok((await primary.getByRole('img', { name: /layer nights/ }).count()) >= 12)
  await primary.getByRole('button', { name: 'New override' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Person').selectOption('cleo')
  const until = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 11)
  await form.getByLabel(/^Until/).fill(`${until}09:00`)
  assert.ok(await form.getByRole('button', { name: 'Make the override' }).isDisabled())
  await form.getByLabel('Reason').fill('holidays')
  await form.getByLabel('Made by').fill('Ada')
  await form.getByRole('button', { name: 'Make the override' }).click()
  await primary
    .getByRole('img', { name: /^Cleo, .*, override 1 by Ada: holidays$/ })
    .first()
    .waitFor()
  await primary.locator('.oncall-now strong', { hasText: 'Cleo' }).waitFor()
  await page.goto(`${service.url}/#/`)
  await page.locator('.oncall-names li', { hasText: 'primary' }).getByText('Cleo').waitFor()
  await page.getByRole('link', { name: /Nobody is on call for primary in/ }).click()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
  await primary.locator('.oncall-now strong', { hasText: 'Cleo' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Overrides' }).waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test('an open run is shown with the person who was asked last', async (t) => {
  await service.raise({ title: 'Checkout is down', severity: 'critical' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/oncall`)
  const row = page.getByRole('row', { name: /Checkout is down/ })
  await row.getByText('chatws, sent').waitFor()
  assert.match((await row.textContent()) ?? '', /office\s*Asking\s*(ada|ben|cleo)/)
  await row.getByRole('link', { name: 'Checkout is down' }).click()
  await page.waitForURL(/#\/problems\/\d+/)
  const woken = page.getByRole('region', { name: /^Who was woken/ })
  assert.match((await woken.getByRole('row').nth(1).textContent()) ?? '', /^1(ada|ben|cleo)schedule:primary, .*chatws/)
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion the colours do not fade from one scheme to the other.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await seriousViolations(page), [])
  }
  await woken.getByRole('link', { name: 'Escalation office' }).click()
  await page.waitForURL(/#\/oncall$/)
  assert.deepEqual(complaints, [])
})

test('days that are dragged over open the form with their times', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/oncall`)
  const days = page
    .getByRole('region', { name: 'Schedule primary' })
    .locator('.oncall-week')
    .nth(1)
    .locator('.oncall-day')
  await days.nth(2).hover({ position: { x: 10, y: 10 } })
  await page.mouse.down()
  await days.nth(4).hover({ position: { x: 10, y: 10 } })
  await page.mouse.up()
  const form = page.getByRole('dialog')
  const [from, until] = [await form.getByLabel(/^From/).inputValue(), await form.getByLabel(/^Until/).inputValue()]
  assert.match(from, /T00:00$/)
  assert.equal(Date.parse(`${until}Z`) - Date.parse(`${from}Z`), 3 * 86_400_000)
  assert.deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page of on-call has no serious violation of accessibility and fits a phone, ${colorScheme}`, async (t) => {
    const { page } = await visit(t, service.url, { colorScheme })
    await signIn(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${service.url}/#/oncall`)
    await page
      .getByRole('img', { name: /layer weeks/ })
      .first()
      .waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await page.setViewportSize({ width: 390, height: 780 })
    const overflow = 'document.documentElement.scrollWidth - innerWidth + (main.scrollWidth - main.clientWidth)'
    assert.equal(await page.evaluate(overflow), 0)
    await page.getByRole('button', { name: 'New override' }).first().click()
    await page.getByRole('dialog').getByText('Instead of').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await page.goto(`${service.url}/#/`)
    await page.locator('.oncall-names').waitFor()
    assert.equal(await page.evaluate(overflow), 0)
  })
}
