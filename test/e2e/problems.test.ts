import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService()

/** An alert of one fingerprint for each title. */
const alert = (title: string, changes: object = {}) => ({
  title,
  ServiceName: 'ledger',
  severity: 'warning',
  ...changes,
})

test('the first list has one row for each problem, and each row opens its incidents', async (t) => {
  for (let nth = 0; nth < 3; nth++) await service.raise(alert('The books do not balance'))
  await service.raise(alert('A page is torn', { ServiceName: 'belfry' }))
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.getByRole('link', { name: /^Incidents 2 open problems/ }).click()
  const list = page.getByRole('region', { name: 'Problems' })
  await list.getByText('2 open').waitFor()
  await list.getByRole('link', { name: /The books do not balance.*ledger.*Firing.*×3 incidents/ }).click()
  const problem = page.getByRole('article', { name: 'Problem' })
  await problem.getByText('3 since it opened').waitFor()
  assert.equal(await problem.locator('.problem-incident').count(), 3)
  await problem.locator('.problem-incident').first().click()
  await page.getByRole('article', { name: 'Incident' }).getByText('From arrival to delivery').waitFor()
  assert.deepEqual(complaints, [])
})

test('a problem is acknowledged and resolved as a whole', async (t) => {
  const ids = [await service.raise(alert('Twice as bad')), await service.raise(alert('Twice as bad'))]
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/problems?q=Twice`)
  await page.locator('.problem-row').click()
  const problem = page.getByRole('article', { name: 'Problem' })
  await problem.getByLabel('Your name, for the record').fill('Ada')
  await problem.getByRole('button', { name: 'Acknowledge' }).click()
  await problem.locator('.facts').getByText('by Ada').waitFor()
  await problem.getByRole('button', { name: 'Resolve' }).click()
  await problem.locator('.detail-marks').getByText('Resolved').waitFor()
  for (const id of ids) {
    await page.goto(`${service.url}/#/incidents/${id}`)
    await page.locator('.detail-marks').getByText('Resolved').waitFor()
  }
  assert.deepEqual(complaints, [])
})

test('problems are filtered, and single incidents are one step away', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/problems`)
  await page.getByLabel('Service').selectOption('belfry')
  await page.waitForURL(/service=belfry/)
  const list = page.getByRole('region', { name: 'Problems' })
  await list.getByRole('link', { name: /A page is torn/ }).waitFor()
  await list.getByRole('link', { name: /The books do not balance/ }).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Incidents' }).click()
  await page
    .locator('.list-pane')
    .getByRole('link', { name: /The books do not balance/ })
    .first()
    .waitFor()
  assert.deepEqual(complaints, [])
})

test('problems are reached by keys alone', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  for (const key of ['g', 'i']) await page.keyboard.press(key)
  await page.locator('.problem-row').first().waitFor()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('article', { name: 'Problem' }).waitFor()
  const first = page.url()
  await page.keyboard.press('j')
  await page.waitForURL((url) => url.href !== first && url.hash.startsWith('#/problems/'))
  await page.keyboard.press('Escape')
  await page.waitForURL(/#\/problems$/)
  for (const key of ['g', 'e']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Incidents' }).waitFor()
  assert.deepEqual(complaints, [])
})
