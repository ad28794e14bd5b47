import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService({ routes: [{ name: 'both', to: ['chatws', { chatws: 'payments' }] }] })

test('two deliveries of one channel have a tab, a row of the timeline and an event each', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByText('connected').waitFor()
  const id = await service.raise({ title: 'Told twice', ServiceName: 'ledger' })
  await page.getByRole('link', { name: /delivery.*Told twice.*chatws:payments.*Sent/ }).waitFor()
  await page.goto(`${service.url}/#/incidents/${id}`)
  const tabs = page.getByRole('tablist', { name: 'Destinations' })
  await tabs.getByRole('tab', { name: 'chatws', exact: true, selected: true }).waitFor()
  await tabs.getByRole('tab', { name: 'chatws:payments' }).click()
  await tabs.getByRole('tab', { name: 'chatws:payments', selected: true }).waitFor()
  assert.equal(await tabs.getByRole('tab', { selected: true }).count(), 1)
  await page.locator('.delivery-facts').getByText('to payments').waitFor()
  assert.deepEqual(await page.locator('.timeline-name').allTextContents(), ['storage', 'chatws', 'chatws:payments'])
  assert.deepEqual(complaints, [])
})

test('two dead letters of one incident are two rows, and the one that was sent takes its own row away', async (t) => {
  service.chat.script = () => ({ body: { ok: false, error: 'is_archived' } })
  await service.raise({ title: 'Not heard', ServiceName: 'ledger' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/channels/dead`)
  const rows = page.locator('.dead-row')
  await rows.nth(1).waitFor()
  assert.deepEqual(await rows.locator('p.quiet').allTextContents(), [
    'chatws to payments, 1 attempt',
    'chatws, 1 attempt',
  ])
  await rows.nth(1).evaluate((row) => row.setAttribute('data-was', 'second'))
  service.chat.script = ({ body }) =>
    body.includes('"C1"') ? { body: { ok: false, error: 'is_archived' } } : undefined
  await page.getByRole('button', { name: 'Replay all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.getByText('chatws to payments, 1 attempt').waitFor({ state: 'detached' })
  await page.locator('.dead-row[data-was=second]').getByText('chatws, 2 attempts').waitFor()
  assert.equal(await rows.count(), 1)
  assert.deepEqual(complaints, [])
})

test('the lists are filtered by every source of incidents', async (t) => {
  const { page } = await visit(t, service.url)
  await signIn(page)
  for (const place of ['incidents', 'problems']) {
    await page.goto(`${service.url}/#/${place}`)
    await page.getByLabel('Source').selectOption('heartbeat')
    await page.waitForURL(/source=heartbeat/)
  }
})
