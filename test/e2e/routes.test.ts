import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService({
  routes: [
    { name: 'ledger', match: { service: 'ledger*' }, to: ['chatws'] },
    { name: 'ledger again', match: { service: 'ledger' }, to: ['officechat'] },
    { name: 'chatter', match: { severity: 'debug' }, to: 'none' },
  ],
})

test('the rules show their hits and which one is never reached, and lead to their incidents', async (t) => {
  await service.raise({ title: 'The books do not balance', ServiceName: 'ledger' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByText('Never reached behind ledger').waitFor()
  await page.getByRole('link', { name: '1 incidents of ledger' }).click()
  await page
    .locator('.list-pane')
    .getByRole('link', { name: /The books do not balance/ })
    .waitFor()
  await page.getByRole('button', { name: /rule ledger.*remove this filter/ }).click()
  assert.ok(!page.url().includes('rule='))
  assert.deepEqual(complaints, [])
})

test('a payload shows which rule it takes, as it is typed', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/routes`)
  const result = page.getByRole('region', { name: 'Result' })
  const payload = page.getByRole('textbox', { name: 'Payload' })
  await payload.fill('{"severity": "debug"}')
  await result.getByText('Nobody').waitFor()
  await payload.fill('{"ServiceName": "ledger-eu", "severity": "high"}')
  await result.getByText('service ledger-eu fits ledger*').waitFor()
  await payload.fill('{"ServiceName": ')
  await result.getByText(/The payload is not JSON/).waitFor()
  assert.deepEqual(complaints, [])
})

test('an incident says why it was told to whom', async (t) => {
  const id = await service.raise({ title: 'Why me?', ServiceName: 'ledger' })
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  await page.getByRole('tab', { name: 'Why' }).click()
  const why = page.getByRole('region', { name: 'Why' })
  await why.getByText('service ledger fits ledger*').waitFor()
  await why.locator('.step', { hasText: 'chatws' }).getByText('Sent').first().waitFor()
  await page.getByRole('tab', { name: 'Record' }).click()
  await page.getByRole('heading', { name: 'From arrival to delivery' }).waitFor()
  assert.deepEqual(complaints, [])
})
