import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { oncallSections, proposedSections } from '../../src/config/files/proposed.ts'
import { loadConfig } from '../../src/config/load.ts'
import { folder } from '../harness/config-file.ts'

const IN_FORCE = `
alert: { chatws: { enable: true, token: "\${TOKEN}", channel_id: C1 } }
routes: [{ name: old, match: { service: web }, to: [chatws] }]
noise: { storm: { within: 30s } }
`

function loaded() {
  const file = join(folder(), 'config.yaml')
  writeFileSync(file, IN_FORCE)
  return { file, ...loadConfig({ file, env: { TOKEN: 'xoxb-1' } }) }
}

test('proposed sections stand in place of those in force; all others are as they were loaded', () => {
  const { file, config, propose } = loaded()
  writeFileSync(file, 'broken: [')
  const { config: proposed } = propose({ file: 'new.yaml', text: 'routes:\n  - { name: new, to: [chatws] }\n' })
  assert.deepEqual(
    proposed.routes.map(({ name, where }) => [name, where]),
    [['new', 'new.yaml:2']],
  )
  assert.equal(proposed.noise.storm.withinMs, 30_000)
  assert.deepEqual(proposed.alert, config.alert)
  assert.deepEqual(propose({ file: 'new.yaml', text: 'routes:\nnoise:\n' }).config.routes, [])
})

test('a reference or another section is refused with its line', () => {
  const { propose } = loaded()
  const cases: readonly [text: string, message: RegExp][] = [
    [`routes:\n  - { name: "\${TOKEN}" }`, /^new\.yaml:2: has a reference/],
    [
      'noise: {}\nalert: {}\n',
      /^new\.yaml:2: alert: cannot be tried here: only routes, schedules, silences, noise can/,
    ],
    ['- routes', /^new\.yaml: must hold a map with any of routes/],
    ['routes: {', /^new\.yaml:1:\d+: is not valid YAML/],
  ]
  for (const [text, message] of cases)
    assert.throws(() => propose({ file: 'new.yaml', text }), { code: 'config_invalid', message })
})

test('of a whole file the sections that can be tried are taken, each line in its place, and absent ones are empty', () => {
  const text = `port: 1 # one\nroutes:\n  - { name: a }\n# about the chat\nalert:\n  chatws: { token: "\${T}" }\nnoise: {}\n`
  assert.equal(
    proposedSections(text),
    '\nroutes:\n  - { name: a }\n# about the chat\n\n\nnoise: {}\n\nschedules:\nsilences:\n',
  )
  assert.equal(proposedSections('routes: ['), 'routes: [')
})

test('the sections of on-call that a service does not try are named', () => {
  assert.deepEqual(oncallSections('routes: []\npeople: {}\noncall:\n  enable: true\n'), ['people', 'oncall'])
  assert.deepEqual(oncallSections('routes: ['), [])
})
