import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readUpdate } from '../../src/answers/msgapp.ts'

const BOT = 770011
const query = {
  id: '4382bfdwdsb323b2d9',
  from: { id: 123456789, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' },
  message: { message_id: 17, date: 1_700_000_000, chat: { id: -1001234567890, type: 'supergroup', title: 'Alerts' } },
  chat_instance: '-42',
  data: '1a.subject.mac',
}
const read = (over: object = {}) => readUpdate({ update_id: 1, callback_query: { ...query, ...over } }, BOT)
const from = (over: object) => ({ from: { ...query.from, ...over } })

test('a press has a key of its own for each bot, also where its message cannot be read any more', () => {
  const press = read()?.press
  assert.equal(press?.key, 'msgapp 770011 4382bfdwdsb323b2d9')
  assert.deepEqual(read({ message: { ...query.message, date: 0 } })?.press, press)
  assert.notEqual(readUpdate({ callback_query: query }, 2)?.press.key, press?.key)
})

test('a name is taken as it is written, and may be empty', () => {
  const nameOf = (over: object) => read(from(over))?.press.actor.name
  assert.equal(nameOf({}), 'Ada Lovelace')
  assert.equal(nameOf({ last_name: undefined }), 'Ada')
  assert.equal(nameOf({ first_name: '', last_name: undefined }), '')
})

test('a press of a bot, of a message that was sent by way of a bot, and without a chat is none', () => {
  for (const over of [
    from({ is_bot: true }),
    { inline_message_id: 'AAAA' },
    { message: undefined },
    { message: undefined, inline_message_id: 'AAAA' },
    { data: undefined, game_short_name: 'game' },
    { from: undefined },
    from({ id: '1' }),
    from({ id: 2 ** 60 }),
    { id: `${'1'.repeat(65)}` },
    { id: 'a b' },
    { data: 'x'.repeat(101) },
    { message: { message_id: 1, chat: { id: '@alerts', type: 'channel' } } },
  ])
    assert.equal(read(over), undefined, JSON.stringify(over))
})

test('the chat of a press is its own, and direct where it has one person', () => {
  const placeOf = (chat: object) => read({ message: { message_id: 1, chat } })?.press
  assert.equal(placeOf({ id: -100998, type: 'supergroup' })?.place, '-100998')
  assert.equal(placeOf({ id: 42, type: 'private' })?.isDirect, true)
  for (const type of ['group', 'supergroup', 'channel', 'private2'])
    assert.equal(placeOf({ id: 42, type })?.isDirect, false)
})

test('any update is a press or none', () => {
  fc.assert(fc.property(fc.anything(), (update) => void readUpdate(update, BOT)))
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(query)), fc.anything(), (key, value) => {
      const found = read({ [key]: value })
      if (found !== undefined) assert.ok(found.press.key.length <= 200)
    }),
  )
})
