import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { generatedDocs } from '../../bench/docs/files.ts'
import { performancePage } from '../../bench/docs/performance.ts'
import { ingestPlot, latencyPlot } from '../../bench/docs/plots.ts'
import { published } from '../../bench/published.ts'
import { measure } from '../../bench/report.ts'

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

test('docs/performance.md and its plots are what npm run bench:docs makes of bench/published.json', () => {
  const docs = Object.entries(generatedDocs(published()))
  assert.equal(docs.length, 3)
  for (const [path, text] of docs) assert.equal(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), text)
})

test('every published table is on the page, with its spread, the machine, and the goals that are missed', () => {
  const page = performancePage({ machine: '', trials: { start } })
  assert.match(page, /On 2 x Abacus, 1 GiB, 2026-01-02\./)
  assert.match(page, /\*\*seconds\*\*\n\n\| of \| ready \|\n.*\n\| all \| 2\.5 \(2\.\.3\), goal <= 1: missed \|/)
  assert.match(page, /0 of 1 are met\. Missed: `start` ready \(1 of 1\)\./)
  assert.match(page, /\| start \| all \| ready \| <= 1 \| 2\.5 \(2\.\.3\) \| missed \|/)
})

test('the page lists what there are no figures of', () => {
  const mine = { ...result, load: 3, leftOut: 'speed: it needs --data', tables: {} }
  const page = performancePage({ machine: '', trials: { start, mine } })
  assert.match(page, /## Not covered\n\n- `ingest`, .*`soak`: no figures yet/)
  assert.match(page, /- `mine`: speed: it needs --data\n- other machines/)
  assert.match(page, /## mine\n\nThe load of the machine was 3 when this trial began: its figures are rough\./)
})

test('trials of different machines or days are kept apart', () => {
  const other = { ...start, machine: '8 x Abacus' }
  const page = performancePage({ machine: '', trials: { start, latency: other } })
  assert.match(page, /On 2 x Abacus, 1 GiB, 2026-01-02: start\. On 8 x Abacus, 2026-01-02: latency\./)
})

test('the plots have a shape for each published figure', () => {
  const row = {
    connections: 64,
    'body kB': 1,
    'accepted/s': measure([50, 60, 70], 0),
    'bare front/s': measure([90], 0),
  }
  const ingest = ingestPlot({ ...result, tables: { 'ingest: accepted': [row, { ...row, connections: 256 }] } })
  for (const color of ['#2f6db5', '#c2700f'])
    assert.equal(ingest.match(new RegExp(`<path [^>]*fill="${color}"`, 'g'))?.length, 3, 'two bars and their legend')
  const rates = [500, 2_000].map((rate) => ({
    'offered/s': rate,
    'answered p50': 1.2,
    'answered p99': 9,
    'delivered p50': 1.5,
    'delivered p99': 12,
  }))
  const latency = latencyPlot({ ...result, tables: { 'latency: ms': rates } })
  for (const name of ['answer p50', 'answer p99', 'delivery p50', 'delivery p99']) assert.ok(latency.includes(name))
  for (const plot of [ingest, latency]) assert.doesNotMatch(plot, /NaN|undefined|Infinity/)
})
