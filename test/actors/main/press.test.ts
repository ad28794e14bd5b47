import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openAnswerCounts } from '../../../actors/main/answers/counts.ts'
import { openPresses } from '../../../actors/main/answers/press.ts'
import type { SystemSettings } from '../../../actors/wiring/settings.ts'
import type { Press } from '../../../src/answers/press.ts'
import { answerKey, tokenOf } from '../../../src/answers/token.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Answer, Answered } from '../../../src/domain/answer.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const ACK_KEY = Buffer.alloc(32, 7)
const ID = '01930000-0000-7000-8000-000000000001'
const order = { action: 'acknowledge', subject: { kind: 'incident', id: ID } } as const
const TOKEN = tokenOf(answerKey(ACK_KEY), order)
const ADA = { id: 'U0ADALOVE', name: 'somebody else' }

interface How {
  readonly answers?: object
  readonly storage?: (answer: Answer) => Promise<Answered>
  /** Of the problem, after the press. */
  readonly state?: 'firing' | 'resolved'
}

function rig({ answers = {}, storage = async () => ({ result: 'done' }), state = 'resolved' }: How = {}) {
  const file = configFile(folder(), {
    people: { ada: { name: 'Ada Lovelace', ids: { chatws: ADA.id } } },
    answers,
    alert: {
      chatws: { enable: true, token: 'xoxb-test', channel_id: 'C0ALERTS', other_channel_ids: { ops: 'C0OPS' } },
      msgapp: { enable: true, token: '123456:test', channel_id: '-1001', answers: { mode: 'poll' } },
    },
  })
  const settings: SystemSettings = loadConfig({ file, env: {} }).config
  const clock = new ManualClock()
  const stored: Answer[] = []
  const muted: string[] = []
  const counts = openAnswerCounts()
  const presses = openPresses({
    ackKey: () => ACK_KEY,
    settings: () => settings,
    clock,
    counts,
    doors: { personResolved: (fingerprint) => void muted.push(fingerprint) },
    async askStorage(query: { kind: string; answer?: Answer }) {
      if (query.kind === 'namedProblem') return { state, fingerprint: 'f1' }
      stored.push(query.answer as Answer)
      return storage(query.answer as Answer)
    },
  } as Parameters<typeof openPresses>[0])
  let nth = 0
  const press = (over: Partial<Press> = {}, channel: 'chatws' | 'msgapp' = 'chatws') =>
    presses.ofChat(channel, {
      ...{
        token: TOKEN,
        key: `press ${++nth}`,
        actor: ADA,
        place: 'C0ALERTS',
        isDirect: false,
        messageId: 'C0ALERTS/1.1',
      },
      ...over,
    })
  return { press, stored, clock, counts, muted }
}

test('a press of a listed person goes to storage under the name of the list, with its message', async () => {
  const { press, stored } = rig()
  assert.deepEqual(await press(), { result: 'done', text: 'Acknowledged.' })
  const [{ quietForMs, maxMs, ...answer }] = stored as [Answer]
  assert.deepEqual([quietForMs, maxMs], [600_000, 86_400_000])
  assert.deepEqual(answer, {
    ...order,
    ...{ key: 'press 1', via: 'chatws', person: 'ada', actor: 'Ada Lovelace', actorId: ADA.id, place: 'C0ALERTS' },
    copy: { messageId: 'C0ALERTS/1.1' },
  })
})

test('a name that the provider gives cannot pass for one of the list, nor break a line', async () => {
  const { press, stored } = rig()
  await press({ actor: { id: 'U9', name: 'Ada Lovelace' } })
  await press({ actor: { id: 'U9', name: 'Ada (chatws U0ADALOVE)\u202e\nline' } })
  await press({ actor: { id: 'U9', name: '' } })
  assert.deepEqual(
    stored.map(({ actor, person }) => [actor, person]),
    [
      ['Ada Lovelace (chatws U9)', undefined],
      ['Ada  chatws U0ADALOVE  line (chatws U9)', undefined],
      ['somebody (chatws U9)', undefined],
    ],
  )
})

test('forged and foreign tokens are refused without a question to storage', async () => {
  const { press, stored, counts } = rig()
  const other = tokenOf(answerKey(Buffer.alloc(32, 8)), order)
  const ofPhone = tokenOf(answerKey(ACK_KEY), order, { topic: '', expiresAt: 9e12 })
  const changed = TOKEN.replace('1a.', '1r.')
  for (const token of ['', 'x', other, ofPhone, changed, `${TOKEN}x`, '\u0000'.repeat(90)])
    assert.equal((await press({ token }))?.result, 'forged', token)
  assert.deepEqual(stored, [])
  assert.deepEqual([...counts.figures().presses], [['chatws none forged', 7]])
})

test('a guest, a direct chat, and with allow: people a stranger are refused; the answer names the id for the list', async () => {
  const stranger = { id: 'U9', name: 'eve' }
  const { press, stored } = rig()
  assert.equal((await press({ actor: { ...stranger, isGuest: true } }))?.result, 'not_allowed')
  assert.equal((await press({ actor: stranger, isDirect: true }))?.result, 'not_allowed')
  assert.deepEqual(stored, [])
  assert.equal((await press({ isDirect: true }))?.result, 'done')

  const people = rig({ answers: { allow: 'people' } })
  const refused = await people.press({ actor: stranger })
  assert.equal(refused?.result, 'not_allowed')
  assert.match(refused?.text ?? '', /U9/)
  const test = tokenOf(answerKey(ACK_KEY), { action: 'test', subject: order.subject })
  assert.match((await people.press({ actor: stranger, token: test }))?.text ?? '', /U9/)
})

test('in a chat that is not configured the pressed message must be one that was sent for the problem', async () => {
  const { press, stored } = rig()
  for (const place of ['C0ALERTS', 'C0OPS', 'C0OTHER']) await press({ place })
  assert.deepEqual(
    stored.map(({ copy, mustBeCopy }) => [copy?.target, mustBeCopy]),
    [
      [undefined, undefined],
      ['ops', undefined],
      [undefined, true],
    ],
  )
})

test('a person presses 20 times a minute, all of a channel 30 times at once', async () => {
  const { press, stored, clock } = rig()
  const results = async (times: number, id: string) => {
    const all = await Promise.all(Array.from({ length: times }, () => press({ actor: { id, name: id } })))
    return all.filter((each) => each?.result === 'too_many').length
  }
  assert.equal(await results(25, 'U1'), 5)
  assert.equal(await results(15, 'U2'), 5)
  assert.equal(stored.length, 30)
  clock.advance(60_000)
  assert.equal(await results(20, 'U1'), 0)
})

test('strangers who may not press take nothing of what their channel may carry', async () => {
  const { press } = rig({ answers: { allow: 'people' } })
  for (let nth = 0; nth < 40; nth++) await press({ actor: { id: `U${nth}`, name: '' } })
  assert.equal((await press())?.result, 'done')
})

test('a poll asks again for what its channel cannot carry at once', async () => {
  const { press, stored } = rig()
  for (let nth = 0; nth < 40; nth++) {
    const pressed = await press({ actor: { id: String(nth), name: '' }, place: '-1001' }, 'msgapp')
    assert.equal(pressed?.result, nth < 30 ? 'done' : undefined)
  }
  assert.equal(stored.length, 30)
})

test('what storage did not confirm is not confirmed to the provider', async () => {
  const failing = rig({ storage: () => Promise.reject(new Error('disk full')) })
  assert.equal(await failing.press(), undefined)
  assert.deepEqual([...failing.counts.figures().presses], [['chatws acknowledge not_stored', 1]])

  const never = new Promise<Answered>(() => {})
  const slow = rig({ storage: () => never })
  for (let nth = 0; nth < 64; nth++) {
    void slow.press({ actor: { id: `U${nth}`, name: '' } })
    await setImmediate()
    slow.clock.advance(1_000)
  }
  assert.equal(await slow.press({ actor: { id: 'U99', name: '' } }), undefined)
  assert.equal(slow.stored.length, 64)
})

test('an alert that a person resolved is not opened again by its sender, which goes on to repeat it', async () => {
  const token = tokenOf(answerKey(ACK_KEY), { action: 'resolve', subject: order.subject })
  const late = () => Promise.reject(new Error('timed out'))
  for (const [state, muted] of [
    ['resolved', ['f1']],
    ['firing', []],
  ] as const)
    for (const how of [{}, { storage: late }]) {
      const one = rig({ ...how, state })
      await one.press({ token })
      await setImmediate()
      assert.deepEqual(one.muted, muted)
    }
})
