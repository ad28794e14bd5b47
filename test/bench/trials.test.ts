import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Trial } from '../../bench/report.ts'
import { moduleOf, TRIALS } from '../../bench/trial-list.ts'

const BENCH = new URL('../../bench/', import.meta.url)
const NAMES = Object.keys(TRIALS)

test('every file of trials/ is a trial and is listed in bench/README.md', () => {
  const files = readdirSync(new URL('trials/', BENCH)).map((file) => file.replace(/\.ts$/, ''))
  assert.deepEqual([...NAMES].sort(), files.sort())
  const readme = readFileSync(new URL('README.md', BENCH), 'utf8')
  assert.deepEqual(
    NAMES.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  )
})

test('every trial has a title that begins with its name, and cases of plain data in both forms', async () => {
  for (const name of NAMES) {
    const trial = (await import(moduleOf(name))) as Trial
    assert.ok(trial.title === name || trial.title.startsWith(`${name}: `), trial.title)
    for (const quick of [true, false]) {
      const cases = trial.cases?.({ quick }) ?? [{}]
      assert.ok(cases.length > 0, `${name} has nothing to measure`)
      assert.deepEqual(JSON.parse(JSON.stringify(cases)), cases)
    }
  }
})
