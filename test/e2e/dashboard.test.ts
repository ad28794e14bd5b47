import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Visit, visit } from './browser.ts'
import { startHoldingProxy } from './holding-proxy.ts'
import { SECRET, signIn, startService } from './service.ts'

const service = await startService()

const quiet = ({ complaints, strayed }: Visit) => assert.deepEqual([complaints, strayed], [[], []])

test('a wrong secret is refused, the right one opens the dashboard, signing out closes it', async (t) => {
  const { page, complaints, strayed } = await visit(t, service.url)
  await page.getByLabel('Gateway secret').fill('not the secret')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This secret is wrong.').waitFor()
  assert.deepEqual(
    complaints.filter((text) => !text.includes('401')),
    [],
  )
  await signIn(page)
  assert.equal(await page.evaluate('JSON.stringify([localStorage, document.cookie])'), '[{},""]')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Gateway secret').waitFor()
  assert.equal((await page.content()).includes(SECRET), false)
  assert.deepEqual(strayed, [])
})

test('an incident appears in the list and in the tail without a reload', async (t) => {
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.getByRole('link', { name: /^Incidents/ }).click()
  await page.getByRole('tab', { name: 'Incidents' }).click()
  await page.getByRole('heading', { name: 'Incidents' }).waitFor()
  await service.raise({ title: 'The first bell', ServiceName: 'belfry' })
  await page
    .locator('.list-pane')
    .getByRole('link', { name: /The first bell/ })
    .waitFor()
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByText('connected').waitFor()
  await service.raise({ title: 'The second bell', ServiceName: 'belfry' })
  await page.getByRole('link', { name: /incident.*The second bell/ }).waitFor()
  await page
    .getByRole('link', { name: /delivery.*The second bell.*Sent/ })
    .first()
    .waitFor()
  quiet(seen)
})

test('the live tail opens with the events since it was left', async (t) => {
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByText('connected').waitFor()
  await service.raise({ title: 'Seen before', ServiceName: 'belfry' })
  await page
    .getByRole('link', { name: /delivery.*Seen before.*Sent/ })
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'Channels' }).click()
  await service.raise({ title: 'While it was closed', ServiceName: 'belfry' })
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByRole('link', { name: /incident.*While it was closed/ }).waitFor()
  await page.getByRole('link', { name: /incident.*Seen before/ }).waitFor()
  quiet(seen)
})

test('a page that is left before its tail is open reports no error', async (t) => {
  const proxy = await startHoldingProxy(t, service.url, 'kinds=incident')
  const seen = await visit(t, proxy.url)
  const { page } = seen
  await signIn(page)
  await page.getByRole('link', { name: 'Live tail' }).click()
  await proxy.holding
  await page.getByRole('link', { name: 'Channels' }).click()
  await page.getByRole('heading', { name: 'Channels' }).waitFor()
  await proxy.release()
  quiet(seen)
})

test("the detail shows the message of a channel, each attempt with the provider's answer, and the payload", async (t) => {
  service.flow.next({ status: 503, body: 'the flow is resting' })
  const id = await service.raise({
    title: 'Ledger <b>stuck</b>',
    ServiceName: 'ledger',
    nested: { deep: { value: 4711 } },
  })
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  await page.getByRole('heading', { name: 'Ledger <b>stuck</b>' }).waitFor()
  await page.getByRole('tab', { name: 'officechat' }).click()
  await page.getByText('HTTP 503: the flow is resting').waitFor()
  await page.getByText('2 attempts').waitFor()
  await page.locator('.look-officechat').getByText('Ledger').first().waitFor()
  await page.locator('.tree').getByText('4711').waitFor()
  await page
    .locator('.tree')
    .getByRole('button', { name: /nested/ })
    .click()
  assert.equal(await page.locator('.tree').getByText('4711').count(), 0)
  quiet(seen)
})

test('an incident is acknowledged and resolved', async (t) => {
  const id = await service.raise({ title: 'Not taken yet', ServiceName: 'ledger' })
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  const detail = page.getByRole('article', { name: 'Incident' })
  await page.getByLabel('Your name, for the record').fill('Ada')
  await detail.getByRole('button', { name: 'Acknowledge' }).click()
  await detail.locator('.facts').getByText('by Ada').waitFor()
  await detail.getByRole('button', { name: 'Resolve' }).click()
  await detail.locator('.detail-marks').getByText('Resolved').waitFor()
  assert.equal(await detail.getByRole('button', { name: 'Acknowledge' }).count(), 0)
  quiet(seen)
})

test('a dead letter is replayed when the cause is fixed', async (t) => {
  service.chat.script = () => ({ status: 200, body: JSON.stringify({ ok: false, error: 'is_archived' }) })
  await service.raise({ title: 'Not heard', ServiceName: 'ledger' })
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/channels/dead`)
  await page.getByRole('link', { name: 'Not heard' }).waitFor()
  await page.getByText('is_archived').first().waitFor()
  service.chat.script = () => undefined
  await page.getByRole('button', { name: 'Replay all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.getByText('No dead letter').waitFor()
  await page.getByText(/All \d+ replayed/).waitFor()
  await service.chat.waitFor(({ body }) => body.includes('Not heard'))
  quiet(seen)
})

test('a channel sends a test message, is paused and resumed', async (t) => {
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/channels`)
  const card = page.getByRole('region', { name: 'officechat' })
  await card.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText(/officechat accepted the test message/).waitFor()
  await card.getByRole('button', { name: 'Pause' }).click()
  await card.getByText('Paused').waitFor()
  await card.getByRole('button', { name: 'Resume' }).click()
  await card.getByText('Healthy').waitFor()
  quiet(seen)
})

test('the playground shows the message of a template at once, or the position of its error', async (t) => {
  const seen = await visit(t, service.url)
  const { page, complaints } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/templates?channel=officechat`)
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByText('DiskAlmostFull').waitFor()
  const editor = page.getByRole('textbox', { name: 'Template' })
  await editor.fill('**Tried** {{ .Tocsin.Title }}')
  await result.locator('strong', { hasText: 'Tried' }).waitFor()
  await editor.fill('fine\n{{ nosuch }}')
  await result.getByText(/officechat\.tmpl:2:4/).waitFor()
  assert.equal(await page.locator('.editor-error').textContent(), '2')
  await page.getByRole('button', { name: 'Undo changes' }).click()
  await result.getByText('DiskAlmostFull').waitFor()
  assert.deepEqual(
    complaints.filter((text) => !text.includes('400')),
    [],
  )
})

test('the preview of a message runs no script of it and loads nothing from it', async (t) => {
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.goto(`${service.url}/#/templates?channel=officechat`)
  const hostile = [
    '<script>document.title = "taken"</script><img src="http://192.0.2.1/a.png" onerror="document.title = \'taken\'">',
    '<a href="javascript:document.title = 1">the link</a> <iframe src="http://192.0.2.1/"></iframe>',
    '<p style="color: red; background: url(http://192.0.2.1/b.png)" onclick="document.title = 1">the paragraph</p>',
    '<style>body { display: none }</style><svg onload="document.title = 1"></svg>',
  ]
  await page.getByRole('textbox', { name: 'Template' }).fill(hostile.join('\n\n'))
  const message = page.locator('.look-officechat')
  await message.getByText('the paragraph').click()
  assert.equal(await message.locator('script, img, iframe, style, svg, [onclick], [onerror]').count(), 0)
  assert.equal(await message.locator('a').getAttribute('href'), null)
  assert.equal(await message.locator('p', { hasText: 'the paragraph' }).getAttribute('style'), 'color: red;')
  assert.match(await page.title(), /Templates/)
  quiet(seen)
})

test('without a font for emoji the preview of a message shows severity icons', async (t) => {
  const id = await service.raise({ title: 'Round and red', ServiceName: 'ledger', severity: 'critical' })
  const seen = await visit(t, service.url)
  const { page } = seen
  await page.addInitScript(`{
    const { getContext } = HTMLCanvasElement.prototype
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
      return options?.willReadFrequently ? null : getContext.call(this, kind, options)
    }
  }`)
  await page.reload()
  await signIn(page)
  await page.goto(`${service.url}/#/incidents/${id}`)
  await page.getByRole('tab', { name: 'chatws' }).click()
  await page.locator('.look-chatws .severity-critical').waitFor()
  assert.doesNotMatch((await page.locator('.look-chatws').textContent()) ?? '', /\p{RGI_Emoji}/v)
  quiet(seen)
})

test('the agent shows its sources and patterns, and a pattern is tagged and ignored', async (t) => {
  for (let line = 0; line < 5; line++) service.writeLog(`ERROR voucher ${line} of shop ${line * 7} was refused`)
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.getByRole('link', { name: 'Agent' }).click()
  await page.getByRole('row', { name: /app file/ }).waitFor()
  await page.getByRole('tab', { name: 'Patterns' }).click()
  await page
    .getByRole('button', { name: /voucher.*refused/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Pattern' })
  await dialog.getByLabel(/Tags/).fill('billing')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Mark ignored' }).click()
  await dialog.getByText('Ignored').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('#billing').waitFor()
  for (const tab of ['Services', 'Shadow log', 'Detect log', 'System prompt']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.locator('.page.agent .card, .page.agent .empty').first().waitFor()
  }
  quiet(seen)
})

test('pages and incidents are reached by keys alone', async (t) => {
  await service.raise({ title: 'Older', ServiceName: 'ledger' })
  await service.raise({ title: 'Newer', ServiceName: 'ledger' })
  const seen = await visit(t, service.url)
  const { page } = seen
  await signIn(page)
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.locator('.list-pane').getByRole('link', { name: /Newer/ }).waitFor()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Newer' }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: 'Older' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('Older')
  await page.waitForURL(/q=Older/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'Channels' }).waitFor()
  quiet(seen)
})
