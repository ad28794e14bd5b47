import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inhibitionsOf } from '../../src/commands/import/alertmanager/inhibit-rules.ts'
import { loadConfig } from '../../src/config/load.ts'
import { folder } from '../harness/config-file.ts'

const NOW = Date.now()

function given(...rules: readonly object[]) {
  const notes: string[] = []
  const silences = inhibitionsOf(rules, (path, message) => notes.push(`${path.join('.')}: ${message}`), NOW)
  return { silences: silences as { readonly [key: string]: unknown }[], notes }
}

const CRITICAL = { source_matchers: ['severity="critical"'], target_matchers: ['severity=~"warning|info"'] }

test('a rule becomes a silence, with its labels', () => {
  const { silences, notes } = given({ ...CRITICAL, equal: ['namespace', 'alertname', 'namespace'] })
  const [{ until, ...silence } = {}] = silences
  assert.deepEqual(silence, {
    name: 'inhibition 1',
    match: { 'labels.severity': '/warning|info/' },
    while: { match: { 'labels.severity': 'critical' }, equal: ['namespace', 'alertname'] },
    owner: 'alertmanager.yml',
    comment: 'inhibit_rules.0',
  })
  assert.deepEqual(notes, [`inhibit_rules.0: became a silence until ${until}: renew it in time`])
})

test('the older keys, and several conditions, are read', () => {
  const { silences } = given({
    ...{ source_match: { alertname: 'NodeDown' }, source_match_re: { node: 'a|b' } },
    ...{ target_match: { job: 'node' }, target_match_re: { alertname: 'Host.+' } },
    target_matchers: ['{team!="x", env=~"p.*"}'],
  })
  assert.deepEqual(
    silences.map(({ match, while: causes }) => [match, causes]),
    [
      [
        {
          ...{ 'labels.job': 'node', 'labels.alertname': '/Host.+/' },
          ...{ 'labels.team': '!x', 'labels.env': '/p.*/' },
        },
        { match: { 'labels.alertname': 'NodeDown', 'labels.node': '/a|b/' } },
      ],
    ],
  )
})

test('a target that every alert fits is every alert with a name', () => {
  const source = { source_match: { alertname: 'HostDown' } }
  const { silences, notes } = given({ ...source, target_match_re: { alertname: '.*' }, equal: ['host'] }, source)
  for (const { match } of silences) assert.deepEqual(match, { 'labels.alertname': '/.+/' })
  assert.equal(silences.length, 2)
  assert.match(notes.join('\n'), /inhibit_rules\.0: names no target/)
})

test('what has no counterpart is noted, and left out', () => {
  const { silences, notes } = given(
    { target_matchers: ['severity="info"'] },
    { source_matchers: ['severity=~"critical|warning"'], target_matchers: ['severity="warning"', 'team="db"'] },
    { ...CRITICAL, source_matchers: ['severity'] },
    { ...CRITICAL, equals: ['a'] },
    { ...CRITICAL, equal: [''] },
    { ...CRITICAL, source_matchers: ['severity=~"[z-a]"'] },
  )
  assert.deepEqual(
    silences.map(({ name }) => name),
    ['inhibition 4'],
  )
  for (const text of [
    '0: is not taken over: it names no source',
    '1: is not taken over: its silence would be refused (while fits all that match fits',
    '2.source_matchers: has no counterpart',
    '3.equals: is not a key of an inhibition rule',
    '4: is not taken over: its silence would be refused (while.equal must be names of labels',
    '5.source_matchers: has no counterpart',
  ])
    assert.ok(
      notes.some((note) => note.startsWith(`inhibit_rules.${text}`)),
      `${text}\n${notes.join('\n')}`,
    )
})

test('an alert that may fit both sides is noted', () => {
  const isNoted = (rule: object) => given(rule).notes.some((note) => note.includes('another source can hold it'))
  assert.equal(isNoted(CRITICAL), false)
  assert.equal(isNoted({ ...CRITICAL, target_matchers: ['severity=~"critical|warning"'] }), true)
  assert.equal(isNoted({ ...CRITICAL, target_matchers: ['team="db"'] }), true)
  assert.equal(isNoted({ ...CRITICAL, target_matchers: ['severity!="critical"'] }), false)
})

test('the configuration takes every silence that is written', () => {
  const awkward = ['$' + '{HOME}', '/a/', '!b', 'c*', 'd?', "'", '"', '', 'ä # : -', '\\']
  const { silences } = given(
    ...awkward.map((value) => ({
      source_match: { a: 'x', b: value },
      target_match: { a: value, c: 'y' },
      equal: ['é.x'],
    })),
  )
  assert.equal(silences.length, awkward.length)
  const file = join(folder(), 'config.yaml')
  writeFileSync(file, stringify({ silences }))
  const { config } = loadConfig({ file, env: {} })
  assert.deepEqual(
    config.silences.map(({ conditions, equal }) => [conditions.length, equal]),
    awkward.map(() => [2, ['é.x']]),
  )
})
