import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { published } from '../../bench/published.ts'
import { performanceSection, withSection } from '../../bench/readme.ts'
import { measure } from '../../bench/report.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

const result = {
  at: '2026-01-02T03:04:05.000Z',
  commit: '0123456',
  machine: '2 x Abacus, 1 GiB',
  load: 0.2,
  quick: false,
  seconds: 12,
  curves: [],
  leftOut: '',
  errors: [],
}
const start = { ...result, tables: { 'start: seconds': [{ of: 'all', ready: measure([2, 3], 1, { atMost: 1 }) }] } }

test('the section on performance is what the published figures come to', () => {
  assert.equal(withSection(README, performanceSection(published())), README)
})

test('the section tells figures with their spread, the machine, and the goals that are missed', () => {
  const section = performanceSection({ machine: '', trials: { start } })
  assert.match(section, /On 2 x Abacus, 1 GiB, 2026-01-02\./)
  assert.match(section, /\*\*seconds\*\*\n\n\| of \| ready \|\n.*\n\| all \| 2\.5 \(2\.\.3\), goal <= 1: missed \|/)
  assert.match(section, /\*\*Goals:\*\* 0 of 1 are met; missed: `start` ready \(1 of 1\)\./)
})

test('the section says what there are no figures of', () => {
  const mine = { ...result, load: 3, leftOut: 'speed: it needs --data', tables: {} }
  const section = performanceSection({ machine: '', trials: { start, mine } })
  assert.match(section, /Not covered:\*\* `ingest`, .*`soak`, of which there are no figures yet/)
  assert.match(section, /of `mine`: speed: it needs --data; a machine that does nothing else: up to 3 processes/)
})

test('trials of different machines or days are told apart', () => {
  const other = { ...start, machine: '8 x Abacus' }
  const section = performanceSection({ machine: '', trials: { start, latency: other } })
  assert.match(section, /On 2 x Abacus, 1 GiB, 2026-01-02: start\. On 8 x Abacus, 2026-01-02: latency\./)
})

test('a README without the marks is left alone', () => {
  assert.throws(() => withSection('# Tocsin', 'x'), /no section on performance/)
})
