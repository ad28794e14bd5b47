// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, load, type Setting } from './setup.ts'

/** Returns a text after substitution, as the name of the service; `tocsin` is the default. */
const named = (text: string, setting?: Setting) => load(`name: ${JSON.stringify(text)}`, setting).config.name

describe('references', () => {
  const env = { A: 'alpha', B: 'beta', EMPTY: '' }
  it('take variables, defaults and nested defaults', () => {
    assert.equal(named('${A}', { env }), 'alpha')
    assert.equal(named('x-${A}-${B}-y', { env }), 'x-alpha-beta-y')
    assert.equal(named('${NONE:-other}', { env }), 'other')
    assert.equal(named('${EMPTY:-other}', { env }), 'other')
    assert.equal(named('${A:-other}', { env }), 'alpha')
    assert.equal(named('${NONE:-${NEITHER:-${B}}!}', { env }), 'beta!')
    assert.equal(named('${NONE:-}x', { env }), 'x')
  })
  it('leave nothing where a variable is missing', () => {
    assert.equal(named('<${NONE}>', { env }), '<>')
    assert.equal(named('${NONE}', { env }), 'tocsin', 'a value that is nothing but that counts as left out')
    assert.equal(load('gateway_secret: ${NONE}').config.gatewaySecret, '')
  })
  it('take the contents of files without the line end', () => {
    const files = { '/run/secret': 'from file\r\n', '/run/b': 'two\nlines\n\n' }
    assert.equal(named('${file:/run/secret}', { files }), 'from file')
    assert.equal(named('${file:/run/${WHICH}}', { files, env: { WHICH: 'b' } }), 'two\nlines')
  })
  it('report a file that cannot be read, once', () => {
    assert.equal(
      issueOf('alert:\n  chatws:\n    enable: true\n    token: ${file:/run/none}\n    channel_id: C\n'),
      'config.yaml:4: alert.chatws.token: cannot read the file "/run/none" (it does not exist)',
    )
  })
  it('leave $${ as ${', () => {
    assert.equal(named('$${A} ${A}', { env }), '${A} alpha')
    assert.equal(named('${NONE:-$${A\\}}', { env }), '${A\\}')
    assert.equal(named('$A $ {A} 5$', { env }), '$A $ {A} 5$')
  })
  it('are not replaced in the values of variables', () => {
    assert.equal(named('${TRICK}', { env: { TRICK: '${A}', A: 'no' } }), '${A}')
  })
  it('never become YAML', () => {
    const trick = 'x\nport: 1\nname: {a: b}'
    const { config } = load('name: ${TRICK}\nhost: ${TRICK}', { env: { TRICK: trick } })
    assert.deepEqual([config.name, config.host, config.port], [trick, trick, 3000])
  })
  it('become true, false or a number where that is wanted', () => {
    const yaml =
      'port: ${P}\nalert: {debug_body: "${D}", officechat: {enable: "${E:-no}"}}\noncall: {wait_minutes: "${W}"}'
    const { config } = load(yaml, { env: { P: '8080', D: 'TRUE', W: '0.5' } })
    assert.equal(config.port, 8080)
    assert.equal(config.alert.debugBody, true)
    assert.equal(config.alert.channels.officechat.enable, false)
    assert.equal(config.oncall.waitMs, 30_000)
    assert.equal(load('port: ${P}\nmetrics: {enable: "${P}"}').config.port, 3000)
    assert.match(issueOf('port: "80${P}"', { env: { P: '80' } }), /must be a whole number/)
    assert.equal(load('port: "8080"').config.port, 8080)
  })
  it('are left alone in keys and comments', () => {
    const { config } = load('# ${file:/none}\noncall: {pagerduty: {other_routing_keys: {a: "${A}"}}}', {
      env: { A: 'x' },
    })
    assert.deepEqual([...config.oncall.pagerduty.otherRoutingKeys], [['a', 'x']])
  })
  it('that are malformed are errors', () => {
    assert.match(issueOf('name: "${A"'), /config\.yaml:1: name: opens a reference that never ends/)
    assert.match(issueOf('name: "${A-b}"'), /has a reference that is none of/)
    assert.match(issueOf('name: "${}"'), /has a reference that is none of/)
    assert.match(issueOf(`name: "${'${A:-'.repeat(50)}${'}'.repeat(50)}"`), /nests references too deep/)
  })
  it('do not reach the prototype of the environment', () => {
    assert.equal(named('<${constructor}${__proto__}${toString}>'), '<>')
  })
})
