import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { visit } from './browser.ts'

const CLI = fileURLToPath(new URL('../../src/tocsin.js', import.meta.url))

test('in the page of the demo a press acknowledges, the message says by whom, and no payload draws anything', async (t) => {
  const demo = await startDemo(t)
  const { page, complaints, strayed } = await visit(t, demo.chats)
  await fetch(`${demo.service}/api/incidents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: '<img src=x onerror=alert(1)> is slow', service: 'checkout', severity: 'critical' }),
  })
  const chat = page.getByRole('region', { name: 'chatws' })
  const message = chat.getByRole('article').filter({ hasText: '<img src=x onerror=alert(1)> is slow' })
  await message.getByRole('button', { name: 'Acknowledge' }).click()
  // A reply in the thread says it too, with the title.
  const acknowledged = /✅ Acknowledged by Ada Lovelace \d\d:\d\d UTC/
  await message.getByText(acknowledged).waitFor()
  await message.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
  assert.equal(await message.getByRole('button', { name: 'Resolve', exact: true }).count(), 1)
  const copy = page.getByRole('region', { name: 'msgapp' }).getByRole('article').filter({ hasText: 'onerror' })
  await copy.getByText(acknowledged).waitFor()
  await copy.getByRole('button', { name: 'Silence 1 h' }).click()
  await page.getByText('Only you see this: Acknowledged and silenced.').waitFor()
  for (const each of [copy, message]) await each.getByRole('button', { name: 'End silence' }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  assert.deepEqual([complaints, strayed], [[], []])
})

test('the page of the demo takes presses of itself alone', async (t) => {
  const { chats } = await startDemo(t)
  const press = (site: string) =>
    fetch(`${chats}/press?chat=msgapp&message=1&token=x`, { method: 'POST', headers: { 'sec-fetch-site': site } })
  assert.deepEqual([(await press('cross-site')).status, (await press('same-origin')).status], [403, 200])
})

/** Runs the demo, and resolves with its addresses when every sample has arrived. */
async function startDemo(t: TestContext): Promise<{ readonly service: string; readonly chats: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, 'demo'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    child.kill('SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let service = ''
  for await (const line of createInterface(child.stdout)) {
    service ||= /^Post your own incidents to (http:\S+)\/api/.exec(line)?.[1] ?? ''
    const chats = /^Press buttons of the messages: (\S+)/.exec(line)?.[1]
    if (chats === undefined) continue
    child.stdout.resume()
    return { service, chats }
  }
  throw new Error('the demo ended before it said where its chats are')
}
