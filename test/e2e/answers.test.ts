import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelList } from '../../src/api/channel.ts'
import { operate } from '../harness/net/requests.ts'
import { until } from '../harness/until.ts'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService()

test('the pages of a problem and of its incident say who did what to it, from where and with what result', async (t) => {
  const id = await service.raise({ title: 'Checkout is slow', severity: 'critical' })
  const act = (action: string, by: string) => operate(`${service.url}/api/admin/incidents/${id}/${action}`, { by })
  await until(
    () => act('ack', '<b>Ada</b>'),
    ({ status }) => status === 200,
  )
  await act('ack', 'Grace')
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  for (const place of ['problems/1', `incidents/${id}`]) {
    await page.goto(`${service.url}/#/${place}`)
    const answers = page.getByRole('region', { name: 'Answers' }).getByRole('listitem')
    await answers.nth(1).waitFor()
    const [latest = '', first = ''] = await answers.allInnerTexts()
    assert.match(latest.replace(/\s+/g, ' '), /Was so before Grace acknowledged by dashboard, API or command \d/)
    assert.match(first.replace(/\s+/g, ' '), /Done <b>Ada<\/b> acknowledged by dashboard, API or command \d/)
  }
  assert.deepEqual(complaints, [])
})

test('the card of a channel has the state of its way back, and what to do when its provider refuses it', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, complaints } = await visit(t, service.url, { colorScheme, viewport: { width: 360, height: 740 } })
    await page.route('**/api/admin/channels', async (route) => {
      const list = (await (await route.fetch()).json()) as ChannelList
      const receiver = { mode: 'socket', state: 'refused', since: new Date().toISOString(), last_error: 'invalid_auth' }
      const channels = list.channels.map((each) => (each.name === 'chatws' ? { ...each, receiver } : each))
      await route.fulfill({ json: { channels } })
    })
    await signIn(page)
    await page.goto(`${service.url}/#/channels`)
    const card = page.getByRole('region', { name: 'chatws' })
    await card.getByText(/Refused.*by socket.*invalid_auth/).waitFor()
    await card.getByText(/app token begins with xapp-/).waitFor()
    assert.equal(await page.getByRole('region', { name: 'officechat' }).getByText('Answers').count(), 0)
    assert.deepEqual(await seriousViolations(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await page.unrouteAll({ behavior: 'wait' })
    assert.deepEqual(complaints, [])
  }
})
