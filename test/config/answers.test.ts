import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuesAcross } from '../../src/config/checks/cross-checks.ts'
import { warningsAcross } from '../../src/config/checks/warnings.ts'
import { issueOf, issuesOf, load } from './setup.ts'

const CHAT = 'token: t, channel_id: C0123456'
const chat = (answers: string) => `alert:\n  chatws: { enable: true, ${CHAT}, answers: { ${answers} } }\n`
const words = ({ path, message }: { path: readonly unknown[]; message: string }) => `${path.join('.')}: ${message}`

/** A configuration with one channel that is on; what zod would check is not looked at. */
const withMode = (channel: string, mode: string, more: object = {}) => ({
  public_host: 'https://bell.example',
  alert: { [channel]: { enable: true, answers: { mode }, token: 't', channel_id: '-1', topic: 't', ...more } },
})
const issues = (effective: object) => issuesAcross({ ...effective, metrics: { port: 0 } }).map(words)
const warnings = (effective: object) => warningsAcross(effective).map(words)

test('a mode names the secret that it lacks, with its line and variable', () => {
  assert.match(
    issueOf(chat('mode: socket')),
    /^config\.yaml:2: alert\.chatws\.answers\.app_token: is missing, but alert\.chatws\.answers\.mode is socket; set it or CHATWS_ANSWERS_APP_TOKEN$/,
  )
  assert.match(
    issueOf(`public_host: https://x\n${chat('mode: http')}`),
    /alert\.chatws\.answers\.signing_secret: is missing/,
  )
  assert.match(issues(withMode('msgapp', 'webhook')).join(), /alert\.msgapp\.answers\.secret_token: is missing/)
  assert.deepEqual(issues(withMode('msgapp', 'poll')), [])
  assert.deepEqual(load(chat('mode: socket, app_token: xapp-1')).warnings, [])
})

test('what comes from outside needs an address, and warns when it is not https', () => {
  const because = 'but alert.chatws.answers.mode is http'
  assert.match(issuesOf(chat('mode: http, signing_secret: s'))[0] ?? '', RegExp(`public_host: is missing.*${because}`))
  assert.match(issueOf('answers: { links: true }'), /public_host: is missing.* but answers\.links is true/)
  for (const [channel, mode] of [
    ['msgapp', 'webhook'],
    ['ntfy', 'http'],
  ] as const) {
    const effective = withMode(channel, mode, { answers: { mode, secret_token: 's' } })
    assert.match(issues({ ...effective, public_host: '' }).join(), /^public_host: is missing/)
    assert.deepEqual([issues(effective), warnings(effective)], [[], []])
    assert.match(warnings({ ...effective, public_host: 'http://bell' }).join(), /public_host: is not https, but alert/)
  }
  assert.deepEqual(load(`oncall: { public_host: https://x }\nanswers: { links: true }`).warnings, [])
})

test('a channel that is off needs nothing for its answers', () => {
  const off = {
    alert: { chatws: { enable: false, answers: { mode: 'http' } }, msgapp: { answers: { mode: 'webhook' } } },
  }
  assert.deepEqual([issues(off), warnings(off)], [[], []])
})

test('people alone may press only when there are some', () => {
  assert.match(issueOf('answers: { allow: people }'), /^config\.yaml:1: answers\.allow: is people, but none are listed/)
  assert.deepEqual(load('people: { ada: }\nanswers: { allow: people }').warnings, [])
})

test('links where only people may press are warned of', () => {
  const given = (allow: string) => ({
    ...{ public_host: 'https://a.example', people: { ada: {} }, answers: { links: true, allow } },
  })
  assert.deepEqual(warnings(given('people')), [
    'answers.links: has no effect while answers.allow is people: a link proves nobody',
  ])
  assert.deepEqual(warnings(given('everybody')), [])
})

test('an id belongs to one person', () => {
  const people =
    'people:\n  ada: { ids: { chatws: U0123ABCD, msgapp: 1 } }\n  ben: { ids: { chatws: U0123ABCD, ntfy: "" } }\n'
  assert.equal(issueOf(people), 'config.yaml:3: people.ben.ids.chatws: is also the id of ada')
  assert.deepEqual(load('people: { ada: { ids: { msgapp: 1, ntfy: "1" } }, ben: { ids: { ntfy: b } } }').warnings, [])
})

test('the topic of a person is one of the configuration', () => {
  const given = {
    ...withMode('ntfy', 'http', { other_topics: { ada: 'x' } }),
    people: { ada: { ids: { ntfy: 'adda' } } },
  }
  assert.deepEqual(issues(given), ['people.ada.ids.ntfy: "adda" is not the name of another topic; did you mean "ada"?'])
})

test('everybody may press in a public channel only after a warning', () => {
  const warning = /^alert\.msgapp\.(\S+): is a public channel, .* set answers\.allow to people$/
  assert.match(warnings(withMode('msgapp', 'poll', { channel_id: '@alerts' })).join(), warning)
  const named = withMode('msgapp', 'poll', { other_channel_ids: { night: '@night', ops: '-2' } })
  assert.equal(warning.exec(warnings(named).join())?.[1], 'other_channel_ids.night')
  for (const quiet of [
    { ...named, answers: { allow: 'people' } },
    withMode('msgapp', 'off', { channel_id: '@alerts' }),
    withMode('msgapp', 'poll', { enable: false, channel_id: '@alerts' }),
  ])
    assert.deepEqual(warnings(quiet), [])
})
