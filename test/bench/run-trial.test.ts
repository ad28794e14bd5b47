import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { runTrial } from '../../bench/run-trial.ts'
import { until } from '../harness/until.ts'

const options = { quick: true, scratch: tmpdir() }
const moduleOf = (fixture: string) => new URL(`./fixtures/${fixture}.ts`, import.meta.url).href

/** Runs a fixture; `at first word` ends its time when it first reports progress. */
async function run(fixture: string, end: 'at first word' | 'never' = 'never') {
  const said: string[] = []
  const time = new AbortController()
  const progress = (what: string) => {
    said.push(what)
    if (end === 'at first word') time.abort()
  }
  const result = await runTrial(moduleOf(fixture), options, { deadline: () => time.signal, progress })
  return { ...result, said }
}

test('every case runs in a process of its own, and its rows and curves come back', async () => {
  const { tables, curves, said, errors, leftOut } = await run('two-cases')
  const rows = tables['two cases'] ?? []
  assert.deepEqual(
    rows.map(({ of, figure }) => [of, figure]),
    [
      [3, { median: 4, min: 3, max: 5, count: 3, digits: 0 }],
      [4, { median: 5, min: 4, max: 6, count: 3, digits: 0 }],
    ],
  )
  assert.equal(new Set([process.pid, ...rows.map((row) => row.process)]).size, 3)
  assert.deepEqual(
    curves.map(({ name }) => name),
    ['of 3', 'of 4'],
  )
  assert.deepEqual(said, ['1/2 of 3', '2/2 of 4'])
  assert.deepEqual([errors, leftOut], [[], 'the third one'])
})

test('a note about the disk ends the title of every table', async () => {
  const note = '; data on tmpfs'
  const { tables } = await runTrial(moduleOf('two-cases'), options, {
    deadline: () => new AbortController().signal,
    progress: () => {},
    note,
  })
  assert.deepEqual(Object.keys(tables), [`two cases${note}`])
})

test('a case that throws is listed as an error, and the next one runs', async () => {
  const { tables, errors } = await run('first-fails')
  assert.deepEqual(tables['the first of two fails'], [{ how: 'passes' }])
  assert.equal(errors.length, 1)
  assert.match(errors[0] ?? '', /^1\/2 Error: the sink is on fire/)
})

test('a process that dies without a message is listed as an error', async () => {
  const { errors } = await run('dies-mute')
  assert.deepEqual(errors, ['its process ended with SIGKILL without a result'])
})

test('a trial that cannot be loaded is an error', async () => {
  const { errors } = await run('is-not-there')
  assert.match(errors[0] ?? '', /Cannot find module/)
})

test('a case that does not end in time is ended, with the servers it has started', { timeout: 60_000 }, async () => {
  const { errors, said } = await run('hangs-with-server', 'at first word')
  assert.deepEqual(errors, ['it did not end in time'])
  assert.match(said[0] ?? '', /^\d+$/)
  await until(() => isGone(Number(said[0])))
})

/** True when the process has ended, a zombie included. */
function isGone(pid: number): boolean {
  return !existsSync(`/proc/${pid}/stat`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
