import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seriousFaults, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService()
const { url } = service
await service.raiseSamples()
service.chat.script = () => ({ status: 200, body: JSON.stringify({ ok: false, error: 'is_archived' }) })
const id = await service.raise({ title: 'Given up', ServiceName: 'ledger', severity: 'critical' })
for (let line = 0; line < 5; line++) service.writeLog(`ERROR replica ${line} is behind`)

const PAGES = [
  ['', 'Nothing needs attention|dead letter'],
  ['incidents', 'Given up'],
  ['incidents/ID', 'From arrival to delivery'],
  ['tail', 'Live tail'],
  ['channels', 'chatws'],
  ['channels/dead', 'is_archived'],
  ['templates', 'As it looks there'],
  ['agent', 'Sources'],
  ['agent/patterns', 'replica'],
  ['agent/services', 'Service'],
  ['agent/prompt', 'Agent'],
  ['config', 'Configuration'],
] as const

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has a serious fault of accessibility, ${colorScheme}`, async (t) => {
    const { page } = await visit(t, url, { colorScheme })
    assert.deepEqual(await seriousFaults(page), [], 'signing in')
    await signIn(page)
    for (const [place, says] of PAGES) {
      await page.goto(`${url}/#/${place.replace('ID', id)}`)
      await page.locator('main').getByText(new RegExp(says)).first().waitFor()
      assert.deepEqual(await seriousFaults(page), [], place)
    }
  })
}

test('no page is wider than a small phone or narrower than a large wall', async (t) => {
  for (const [width, height] of [
    [360, 740],
    [3840, 2160],
  ] as const) {
    const { page, complaints } = await visit(t, url, { viewport: { width, height } })
    await signIn(page)
    for (const [place, says] of PAGES) {
      await page.goto(`${url}/#/${place.replace('ID', id)}`)
      await page.locator('main').getByText(new RegExp(says)).first().waitFor()
      const overflow = 'document.documentElement.scrollWidth - innerWidth + (main.scrollWidth - main.clientWidth)'
      assert.equal(await page.evaluate(overflow), 0, `${place} at ${width}`)
    }
    assert.deepEqual(complaints, [])
  }
})
