import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const INCIDENTS = 60
const service = await startService({}, { rate: { per_second: 1, burst: 4 } })
for (let at = 0; at < INCIDENTS; at++)
  await service.raise({
    title: `Shard ${at % 5} does not answer`,
    ServiceName: `shard-${at % 5}`,
    severity: at % 5 === 0 ? 'critical' : 'warning',
  })

test('a storm shows its digest as the chat does, and the way from there to an incident and back', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.getByRole('link', { name: /1 storm open/ }).click()
  const storm = page.getByRole('region', { name: 'chatws' })
  await storm.getByText('Storm', { exact: true }).waitFor()
  await storm
    .locator('.look-chatws')
    .getByText(/alerts of 5 problems/)
    .waitFor()
  await storm.getByRole('link', { name: /Digest 1/ }).click()
  await page.getByRole('heading', { name: 'Digest 1 for chatws' }).waitFor()
  await page.getByLabel('Search the problems').fill('shard-3')
  await page.locator('.digest-problems').getByRole('link', { name: 'Shard 3 does not answer' }).waitFor()
  assert.equal(await page.locator('.digest-problem').count(), 1)
  await page.locator('.digest-place').nth(4).waitFor()
  await page.locator('.digest-place').nth(4).click()
  await page.getByRole('tab', { name: 'chatws' }).click()
  await page.getByRole('link', { name: 'digest 1, place 5' }).click()
  await page.getByText('from place 5 on').waitFor()
  assert.equal(await page.locator('.digest-number').first().textContent(), '5')
  assert.deepEqual(complaints, [])
})

test('the live tail tells of each update of a digest', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByText('connected').waitFor()
  for (let at = 0; at < INCIDENTS; at++)
    await service.raise({ title: `Shard ${at} is slow`, ServiceName: `shard-${at}`, severity: 'warning' })
  const updates = page.getByRole('link', { name: /digest.*incidents notified.*chatws.*Updated/ })
  await updates.first().waitFor()
  // Rows that come meanwhile would move it away from the pointer.
  await page.getByRole('button', { name: 'Pause' }).click()
  await updates.first().press('Enter')
  await page.getByRole('heading', { name: /Digest \d+ for chatws/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('places of a digest are reached by keys alone', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/digests/1`)
  await page.locator('.digest-place').first().waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('article', { name: 'Incident' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'Noise' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a group is in the list of digests, and its page shows the message, every problem and its end', async (t) => {
  const grouping = await startService({ noise: { group: { by: ['labels.cluster'] } } })
  const alert = (host: string, more: object = {}) =>
    grouping.raise({
      ...{ title: `Disk of ${host} is nearly full`, ServiceName: host, severity: 'warning' },
      ...{ labels: { cluster: 'eu-west' }, ...more },
    })
  await alert('db-1')
  await grouping.chat.waitFor(({ text }) => text.includes('db-1'))
  for (const host of ['db-2', 'db-3']) await alert(host)
  await grouping.chat.waitFor(({ text }) => text.includes('3 problems'))
  const { page, complaints } = await visit(t, grouping.url)
  await signIn(page)
  await page.goto(`${grouping.url}/#/noise`)
  const row = page.getByRole('row').filter({ hasText: /^Group 1\s*chatws/ })
  await row.getByText('Open', { exact: true }).waitFor()
  assert.equal(await row.getByRole('cell').nth(3).textContent(), '3', 'problems')
  await row.getByRole('link', { name: 'Group 1' }).click()
  await page.getByRole('heading', { name: 'Group, digest 1 for chatws' }).waitFor()
  const message = page.locator('.look-chatws')
  await message.getByText(/Group 1: 3 problems \(\+2\), all fire/).waitFor()
  await message.getByText('Disk of db-1 is nearly full').waitFor()
  const problems = page.locator('.digest-problem')
  assert.equal(await problems.count(), 3)
  const places = page.locator('.digest-place')
  await places.nth(1).waitFor()
  for (const host of ['db-1', 'db-2', 'db-3']) await alert(host, { status: 'resolved' })
  await page.locator('.detail-marks').getByText('Over').waitFor()
  assert.equal(await problems.getByText('Resolved').count(), 3)
  await places.nth(3).getByText('db-2 · resolved').waitFor()
  await page.goto(`${grouping.url}/#/noise`)
  await row.getByText('Over', { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the pages of a storm have no serious violation of accessibility and fit a phone, ${colorScheme}`, async (t) => {
    const { page } = await visit(t, service.url, { colorScheme })
    await signIn(page)
    for (const [place, text] of [
      ['noise', 'every incident and its place'],
      ['digests/1', 'Every incident'],
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
