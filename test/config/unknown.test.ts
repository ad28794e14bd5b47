import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, issuesOf, load } from './setup.ts'

describe('unknown keys', () => {
  it('warn with their line and the nearest known name', () => {
    const yaml = `alert:
  chatws:
    chanel_id: C0TYPO
storage:
  file:
    max_incident: 5
http: {max_body_byte: 1}
`
    assert.deepEqual(load(yaml).warnings, [
      'config.yaml:3: alert.chatws.chanel_id: "chanel_id" is not known; did you mean "channel_id"?',
      'config.yaml:6: storage.file.max_incident: "max_incident" is not known; did you mean "max_incidents"?',
      'config.yaml:7: http.max_body_byte: "max_body_byte" is not known; did you mean "max_body_bytes"?',
    ])
  })
  it('warn without a guess when nothing is near, at any depth and in lists', () => {
    const { warnings } = load('zebra: {a: {b: 1}}\nagent:\n  sources:\n    - {name: a, type: http, giraffe: 1}\n')
    assert.deepEqual(warnings, [
      'config.yaml:1: zebra: "zebra" is not known and has no effect',
      'config.yaml:4: agent.sources.0.giraffe: "giraffe" is not known and has no effect',
    ])
  })
  it('are reported together with the errors that they may cause', () => {
    const [issue = '', ...more] = issuesOf('alert: {officechat: {enable: true, webhook_url: http://192.0.2.7/old}}')
    assert.match(issue, /alert\.officechat\.flow_url: is missing/)
    assert.deepEqual(more, [
      'warning: config.yaml:1: alert.officechat.webhook_url: was renamed: put its value under "flow_url"',
    ])
  })
  it('of earlier versions warn with what to do, and have no effect', () => {
    const yaml = `alert:
  officechat:
    webhook_url: http://192.0.2.7/old
    other_webhook_url: {a: http://192.0.2.7/old}
agent: {ai: {base_url: http://a}}
`
    const { config, warnings } = load(yaml)
    assert.deepEqual(warnings, [
      'config.yaml:3: alert.officechat.webhook_url: was renamed: put its value under "flow_url"',
      'config.yaml:4: alert.officechat.other_webhook_url: was renamed: put its values under "other_flow_urls"',
      'config.yaml:5: agent.ai.base_url: was removed and has no effect: the address of the model is fixed; delete the key',
    ])
    assert.doesNotMatch(JSON.stringify(config.effective), /192\.0\.2\.7/)
  })
  it('are not warned about in maps whose names the operator chooses', () => {
    const yaml = `alert:
  officechat: {other_flow_urls: {flow_ulr: "http://a"}}
  chatws: {other_channel_ids: {tokn: C, constructor: D}}
oncall: {pagerduty: {other_routing_keys: {routing_kye: r, constructor: s}}}
`
    const { config, warnings } = load(yaml)
    assert.deepEqual(warnings, [])
    const { otherRoutingKeys } = config.oncall.pagerduty
    assert.deepEqual(Object.fromEntries(otherRoutingKeys), { routing_kye: 'r', constructor: 's' })
    assert.equal(otherRoutingKeys.get('toString'), undefined)
  })
  it('named like a prototype change nothing', () => {
    const { config, warnings } = load(
      '__proto__: {port: 1, polluted: yes}\nconstructor: 1\nalert: {__proto__: {debug_body: true}}\n',
    )
    assert.equal(config.port, 3000)
    assert.equal(config.alert.debugBody, false)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    assert.equal(warnings.length, 3)
  })
  it('named __proto__ are refused in maps whose names the operator chooses', () => {
    const issue = issueOf('oncall:\n  pagerduty:\n    other_routing_keys:\n      __proto__: r\n')
    assert.equal(issue, 'config.yaml:4: oncall.pagerduty.other_routing_keys.__proto__: cannot be used as a name')
  })
})
