import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, issuesOf, load } from './setup.ts'

const CHATWS = 'enable: true, token: a, channel_id: b, other_channel_ids: { backup: c }'
const MSGAPP = 'enable: true, token: a, channel_id: b'
const given = (chatws: string, msgapp = '') =>
  `alert:\n  chatws: { ${CHATWS}, ${chatws} }\n  msgapp: { ${MSGAPP} ${msgapp} }\n`

describe('on_failure', () => {
  it('is a channel, or one of its other destinations', () => {
    const { config, warnings } = load(given('on_failure: { chatws: backup }', ', on_failure: chatws'))
    const { chatws, msgapp, email } = config.alert.channels
    assert.deepEqual(chatws.onFailure, { channel: 'chatws', target: 'backup' })
    assert.deepEqual(msgapp.onFailure, { channel: 'chatws' })
    assert.equal(email.onFailure, undefined)
    assert.equal(config.delivery.failoverAfterMs, 120_000)
    assert.equal(warnings.length, 1)
    assert.match(
      String(warnings[0]),
      /alert\.msgapp\.on_failure: has no effect: without routes chatws gets every incident/,
    )
  })

  it('can be set by a variable', () => {
    const { config } = load(given('rate: {}'), { env: { CHATWS_ON_FAILURE: 'msgapp' } })
    assert.deepEqual(config.alert.channels.chatws.onFailure, { channel: 'msgapp' })
  })

  const faults: readonly [chatws: string, issue: RegExp][] = [
    ['on_failure: mail', /^config\.yaml:2: alert\.chatws\.on_failure: is no channel; known: chatws, /],
    ['on_failure: { chatws: backp }', /"backp" is not the name of another destination; did you mean "backup"\?/],
    ['on_failure: { chatws: a, msgapp: b }', /must hold one channel/],
    ['on_failure: email', /is email, which is not enabled: enable it, or name another channel/],
    ['on_failure: chatws', /leads in a circle, chatws to chatws: leave out one of them/],
  ]
  for (const [chatws, issue] of faults) it(`refuses ${chatws}`, () => assert.match(issueOf(given(chatws)), issue))

  it('refuses a chain that comes back', () => {
    const issues = issuesOf(given('on_failure: msgapp', ', on_failure: { chatws: backup }'))
    assert.equal(issues.length, 2)
    assert.match(issues[0] ?? '', /leads in a circle, chatws to msgapp to chatws:backup to msgapp/)
  })

  it('is not judged while its channel is off', () => {
    assert.equal(load('alert:\n  chatws: { enable: false, on_failure: email }\n').warnings.length, 0)
  })
})
