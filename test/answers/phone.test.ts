import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openPhone } from '../../actors/main/answers/phone.ts'
import type { SystemSettings } from '../../actors/wiring/settings.ts'
import { answerKey, type PhoneTopic, tokenOf } from '../../src/answers/token.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { AnswerOrder, AnswerResult } from '../../src/domain/answer.ts'
import type { PublicRequest } from '../../src/http/contract.ts'

const KEY = answerKey(new Uint8Array(32))
const NOW = Date.UTC(2026, 10, 1)
const subject = { kind: 'incident', id: '01936a1f-0000-7000-8000-000000000001' } as const
const ADA = { topic: 'ada', expiresAt: NOW + 1 }

interface How {
  readonly key?: Uint8Array | undefined
  readonly result?: AnswerResult | 'not on disk'
  readonly allow?: 'everybody' | 'people'
  readonly mode?: 'off' | 'http'
}

/** Opens the route; `others` are its topics beside the default one. */
function opened({ result = 'done', allow = 'everybody', mode = 'http', ...how }: How = {}) {
  const asked: object[] = []
  const counted: unknown[] = []
  const options = CHANNELS.ntfy.options.parse({ topic: 't', other_topics: { ada: 'a', night: 'n' }, answers: { mode } })
  const settings = {
    alert: { channels: { ntfy: { name: 'ntfy', enable: true, options } } },
    people: new Map([['ada', { name: 'Ada Lovelace', ids: { ntfy: 'ada' } }]]),
    answers: { allow },
    personal: { channels: new Map([['ntfy', new Map([['person:ada:1', 'secret']])]]) },
  } as unknown as SystemSettings
  const take = openPhone({
    presses: {
      key: async () => ('key' in how ? how.key : KEY),
      async submit(answer, { mayAct } = {}) {
        asked.push({ ...answer, mayAct })
        return result === 'not on disk' ? undefined : { result, text: 'a sentence' }
      },
    },
    settings: () => settings,
    clock: { now: () => NOW },
    counts: { pressed: (...what) => void counted.push(what) },
  })
  const press = (body: string) => take({ body: Buffer.from(body) } as PublicRequest)
  return { press, asked, counted }
}
const tokenFor = (phone?: PhoneTopic, order: Partial<AnswerOrder> = {}) =>
  tokenOf(KEY, { action: 'acknowledge', subject, ...order }, phone)

test('a press counts as the person whose topic it is, with the token as the key of the press', async () => {
  const { press, asked } = opened()
  const answer = await press(`${tokenFor(ADA)}\n`)
  assert.deepEqual([answer.status, answer.body, answer.headers['Cache-Control']], [200, 'a sentence', 'no-store'])
  const [given] = asked as { key: string }[]
  assert.match(given?.key ?? '', /^ntfy [0-9a-f]{64}$/)
  assert.deepEqual(asked, [
    {
      ...{ action: 'acknowledge', subject, key: given?.key, via: 'ntfy', mayAct: true },
      ...{ person: 'ada', actor: 'Ada Lovelace', actorId: 'ada', place: '' },
    },
  ])
  await press(tokenFor(ADA))
  await press(tokenFor(ADA, { action: 'resolve' }))
  const keys = (asked as { key: string }[]).map(({ key }) => key)
  assert.deepEqual([keys[1] === keys[0], keys[2] === keys[0]], [true, false])
})

test('a press on the topic of a way of a person counts as that person', async () => {
  const { press, asked } = opened({ allow: 'people' })
  await press(tokenFor({ ...ADA, topic: 'person:ada:1' }, { action: 'test' }))
  const [given] = asked as { person: string; mayAct: boolean }[]
  assert.deepEqual([given?.person, given?.mayAct], ['ada', true])
  await assert.rejects(press(tokenFor({ ...ADA, topic: 'person:ada:2' })), { code: 'answer_token' })
})

test('a topic that belongs to nobody may press where everybody may', async () => {
  for (const [allow, topic, order, mayAct] of [
    ['everybody', '', 'acknowledge', true],
    ['everybody', 'night', 'acknowledge', true],
    ['people', '', 'acknowledge', false],
    ['people', 'night', 'resolve', false],
    ['people', 'ada', 'resolve', true],
    ['people', 'night', 'test', true],
  ] as const) {
    const { press, asked } = opened({ allow })
    await press(tokenFor({ ...ADA, topic }, { action: order }))
    const [given] = asked as { actor: string; mayAct: boolean }[]
    assert.deepEqual(
      [given?.actor, given?.mayAct],
      [topic === 'ada' ? 'Ada Lovelace' : 'phone (ntfy)', mayAct],
      `${allow} ${topic} ${order}`,
    )
  }
})

test('a token that is forged, expired, for chats or of a topic that is gone is refused without a question to storage', async () => {
  const { press, asked, counted } = opened()
  const good = tokenFor(ADA)
  const refused = [
    ...[
      '',
      'x',
      `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
      good.replace('1a.', '1r.'),
      `${good} ${good}`,
    ],
    ...[tokenFor(), tokenFor({ ...ADA, expiresAt: NOW }), tokenFor({ ...ADA, topic: 'gone' })],
    tokenOf(answerKey(new Uint8Array(32).fill(1)), { action: 'acknowledge', subject }, ADA),
  ]
  for (const token of refused) await assert.rejects(press(token), { code: 'answer_token' }, token)
  assert.deepEqual(asked, [])
  assert.deepEqual(counted, Array(refused.length).fill(['ntfy', undefined, 'forged']))
  await assert.rejects(opened({ key: undefined }).press(good), { code: 'answer_token' })
})

test('any bytes that are no token are refused', async () => {
  const { press, asked } = opened()
  const good = tokenFor(ADA)
  const odd = fc.oneof(
    fc.uint8Array({ maxLength: 1_024 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.nat(good.length - 1).map((at) => `${good.slice(0, at)}${good[at] === 'a' ? 'b' : 'a'}${good.slice(at + 1)}`),
    fc.string({ minLength: 1 }).map((more) => `${good}${more}x`),
  )
  const isRefused = async (body: string) => {
    await assert.rejects(press(body), { code: 'answer_token' }, body)
  }
  await fc.assert(fc.asyncProperty(odd, isRefused), { seed: 5, numRuns: 500 })
  assert.deepEqual(asked, [])
})

test('while ntfy has no mode the route is unknown', async () => {
  await assert.rejects(opened({ mode: 'off' }).press(tokenFor(ADA)), { code: 'not_found' })
})

test('the phone hears of success only when the problem is as the button says', async () => {
  const statuses: { [result: string]: number } = {}
  for (const result of ['done', 'already', 'over', 'superseded', 'unknown', 'not_allowed', 'too_many'] as const)
    statuses[result] = (await opened({ result }).press(tokenFor(ADA))).status
  assert.deepEqual(statuses, {
    ...{ done: 200, already: 200, over: 200 },
    ...{ superseded: 409, unknown: 404, not_allowed: 403, too_many: 429 },
  })
  await assert.rejects(opened({ result: 'not on disk' }).press(tokenFor(ADA)), { code: 'answer_busy' })
})
