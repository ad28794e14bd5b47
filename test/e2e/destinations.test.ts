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

test('two dead letters of one incident are two rows, and the second leaves that of the first alone', async (t) => {
  const archived = { body: { ok: false, error: 'is_archived' } }
  const answer = Promise.withResolvers<void>()
  service.chat.script = ({ body }) => (body.includes('"C2"') ? { ...archived, after: answer.promise } : archived)
  await service.raise({ title: 'Not heard', ServiceName: 'ledger' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/channels/dead`)
  const rows = page.locator('.dead-row')
  await rows.getByText('chatws, 1 attempt').waitFor()
  await rows.first().evaluate((row) => row.setAttribute('data-was', 'first'))
  answer.resolve()
  await rows.getByText(/^chatws to payments, /).waitFor()
  assert.equal(await page.locator('.dead-row[data-was=first] p.quiet').textContent(), 'chatws, 1 attempt')
  assert.equal(await rows.count(), 2)
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
