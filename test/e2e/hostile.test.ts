import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService()

const SCRIPT = '</script></title><script>document.title = "taken"</script>'
const HOSTILE = `bell ${SCRIPT}<img src="http://192.0.2.1/a.png" onerror="document.title = 'taken'"><a href="javascript:1">x</a>"'{{.}}`
/** Elements that would exist if the texts had been taken as HTML. */
const GROWN = '#app script, #app img, #app iframe, #app [onerror], #app a[href^="javascript:"]'

test('an incident with hostile texts runs no script and sends no request to other hosts on any page', async (t) => {
  const { page, complaints, strayed } = await visit(t, service.url)
  await signIn(page)
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByText('connected').waitFor()
  const payload = { title: HOSTILE, service: HOSTILE, severity: HOSTILE, Logs: HOSTILE, [HOSTILE]: [HOSTILE] }
  const id = await service.raise(payload)
  await page.getByRole('link', { name: /incident.*bell/ }).waitFor()
  for (const place of ['overview', 'incidents', `incidents/${id}`]) {
    await page.goto(`${service.url}/#/${place}`)
    await page.getByText('bell').first().waitFor({ state: 'attached' })
    assert.equal(await page.locator(GROWN).count(), 0, place)
    assert.doesNotMatch(await page.title(), /taken/, place)
  }
  await page.goto(`${service.url}/#/incidents/${id}`)
  for (const channel of ['chatws', 'officechat']) {
    await page.getByRole('tab', { name: channel }).click()
    await page.locator(`.look-${channel}`).getByText('bell').first().waitFor()
    assert.equal(await page.locator(GROWN).count(), 0, channel)
  }
  assert.deepEqual([complaints, strayed], [[], []])
})
