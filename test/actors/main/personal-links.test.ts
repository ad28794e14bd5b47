import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { personalLinkRoutes } from '../../../actors/main/api/personal-links.ts'
import type { StorageQueries } from '../../../actors/messages/storage-queries.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { PageAction } from '../../../src/domain/oncall.ts'
import { linkPath } from '../../../src/oncall/ack-links.ts'
import type { AskedProblem, PressedPage } from '../../../src/store/ports/oncall-pages.ts'

const NOW = Date.UTC(2026, 10, 27, 3, 12)
const KEY = randomBytes(32)
const PROBLEM: AskedProblem = {
  ...{ problem: 4, title: 'Disk <b>full</b>', service: 'orders-db', severity: 'critical', incidentId: 'an-id' },
  ...{ since: NOW, over: false },
}
const LINK = linkPath(KEY, { id: '7', createdAt: NOW }, 'page')

/** Message 7 belongs to Ada. */
function service(problems: readonly AskedProblem[] = [PROBLEM], kind: PressedPage['kind'] = 'done') {
  const pressed: [number, PageAction][] = []
  const asked = { person: 'Ada Lovelace', problems }
  const answers: Pick<StorageQueries, 'oncall.page' | 'oncall.pressPage'> = {
    'oncall.page': ({ message }) => (message === 7 ? asked : undefined),
    'oncall.pressPage': ({ message, action }) => {
      pressed.push([message, action])
      return kind === 'unknown' ? { kind } : { kind, ...asked }
    },
  }
  const askStorage = async (query: { kind: keyof typeof answers }) => answers[query.kind](query as never)
  const routes = personalLinkRoutes({ askStorage: askStorage as never, key: () => KEY, now: () => NOW })
  async function open(method: 'GET' | 'POST', link = LINK, form = '') {
    const { pathname, search } = new URL(link, 'http://t')
    const route = routes.find((each) => each.method === method)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const from = { params: { message: pathname.split('/').at(-1) ?? '' }, query: search.slice(1) }
    const answer = await route?.answer({ ...from, headers, body: Buffer.from(form), address: '', network: '' })
    return { status: answer?.status, page: String(answer?.body) }
  }
  const press = (action: string, link = LINK) => open('POST', link, `action=${action}`)
  return { open, press, pressed }
}

test('the link of a message shows its problems with two buttons, and only its form acts, as the person of the message', async () => {
  const { open, press, pressed } = service()
  const { status, page } = await open('GET')
  assert.equal(status, 200)
  assert.match(page, /<h1>Ada Lovelace, can you take this\?<\/h1>/)
  assert.match(page, /Disk &lt;b&gt;full&lt;\/b&gt;<\/strong><br>critical · orders-db · since <time/)
  assert.deepEqual(page.match(/(?<=name="action" value=")\w+/g), ['acknowledge', 'decline'])
  assert.doesNotMatch(page, /<input|<script/)
  await open('GET', `${LINK}&action=acknowledge`)
  assert.deepEqual(pressed, [])
  assert.match((await press('acknowledge')).page, /<h1>Ada Lovelace has it<\/h1>/)
  assert.match((await press('decline')).page, /<h1>Understood: you cannot<\/h1>/)
  assert.deepEqual(pressed, [
    [7, 'acknowledge'],
    [7, 'decline'],
  ])
})

test('the link of one message answers no other, nor does one of another purpose, a changed one or one that is too old', async () => {
  const { press, pressed } = service()
  const other = linkPath(KEY, { id: '8', createdAt: NOW }, 'page').replace('/8?', '/7?')
  const acknowledges = linkPath(KEY, { id: '7', createdAt: NOW }).replace('/ack/', '/ack/page/')
  const statuses = [
    other,
    acknowledges,
    `${LINK}0`,
    linkPath(KEY, { id: '7', createdAt: NOW - 7 * 86_400_000 }, 'page'),
  ]
  assert.deepEqual(
    await Promise.all(statuses.map(async (link) => (await press('acknowledge', link)).status)),
    [403, 403, 403, 410],
  )
  assert.equal((await press('resolve')).status, 415)
  assert.deepEqual(pressed, [])
})

test('the page says who has the problem, that it is over, and that a press came too late', async () => {
  const taken = await service([{ ...PROBLEM, by: 'Ben' }]).open('GET')
  assert.match(taken.page, /<h1>Ben has it<\/h1>/)
  const over = await service([{ ...PROBLEM, over: true }]).open('GET')
  assert.match(over.page, /<h1>There is nothing left to do<\/h1>/)
  for (const { page } of [taken, over]) assert.doesNotMatch(page, /<button/)
  assert.equal((await service([PROBLEM], 'already').press('acknowledge')).status, 409)
  assert.match((await service([PROBLEM], 'over').press('acknowledge')).page, /The problem is over/)
  assert.equal((await service([], 'unknown').press('decline')).status, 404)
})

test('a press that storage cannot take says that it may not count, and to try again', async () => {
  const askStorage = async () => Promise.reject(new CodedError('storage_down'))
  const [, act] = personalLinkRoutes({ askStorage, key: () => KEY, now: () => NOW })
  const query = LINK.slice(LINK.indexOf('?') + 1)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { params: { message: '7' }, query, headers, body: Buffer.from('action=acknowledge') }
  const answer = await act?.answer({ ...request, address: '', network: '' })
  assert.equal(answer?.status, 503)
  assert.equal(answer?.headers['Retry-After'], '2')
})
