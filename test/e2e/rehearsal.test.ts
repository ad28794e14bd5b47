import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService({ routes: [{ name: 'ledger', match: { service: 'ledger*' }, to: ['chatws'] }] })
for (let nth = 0; nth < 3; nth++)
  await service.raise({ title: `Book ${nth} does not balance`, ServiceName: 'ledger', severity: 'critical' })

test('the configuration in force changes nothing; one that drops a route names the incidents', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  for (const key of ['g', 'h']) await page.keyboard.press(key)
  const editor = page.getByRole('textbox', { name: 'Proposed configuration' })
  const result = page.getByRole('region', { name: 'Result' })
  await page.getByRole('button', { name: 'Rehearse' }).click()
  await result.getByText('Every incident would fare as it does now.').waitFor()
  await editor.fill('routes:\n  - name: ledger\n    match: { service: "ledger*" }\n    to: none\n')
  await page.getByRole('button', { name: 'Rehearse' }).click()
  await result.getByText('3 critical incidents would notify nobody.').waitFor()
  await result.getByRole('link', { name: 'Book 0 does not balance' }).click()
  await page.getByRole('heading', { name: 'Book 0 does not balance' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a fault of the text is shown with its line', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/rehearsal`)
  await page
    .getByRole('textbox', { name: 'Proposed configuration' })
    .fill('routes:\n  - name: ledger\n    match: { servise: ledger }\n    to: [nowhere]\n')
  await page.getByRole('button', { name: 'Rehearse' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.locator('.error-text').first().waitFor()
  await page.locator('.editor-error').waitFor()
  assert.match((await page.locator('.editor-error').textContent()) ?? '', /^[34]$/)
  assert.deepEqual(
    complaints.filter((text) => !text.includes('400')),
    [],
  )
})
