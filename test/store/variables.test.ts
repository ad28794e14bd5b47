import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const STORE = join(import.meta.dirname, '../../src/store')

const CONNECTION = 'says how the connection stands'
const COPY = 'is a copy of rows, which a rollback empties or which never change'
const PACE = 'sets when something is done again: a rollback makes it earlier or later'
const OUTSIDE = 'changes outside transactions, or at the opening'
const SHOWN = 'is what was told last: to set it twice changes nothing'
const WITHIN = 'begins anew with each transaction'

/**
 * Variables of factories that outlive a call and are neither in `counts` nor made by `engine/overlay.ts`, which a rollback
 * brings back. Any other one could make a transaction that runs twice do something else the second time.
 */
const KNOWN: { readonly [variable: string]: string } = {
  'engine/overlay.ts map': 'is the helper',
  'engine/overlay.ts before': 'is the helper',
  'engine/overlay.ts written': 'is the helper',
  'engine/database.ts db': CONNECTION,
  'engine/sqlite.ts unsynced': CONNECTION,
  'postgres/engine.ts life': CONNECTION,
  'postgres/engine.ts committed': CONNECTION,
  'postgres/engine.ts ended': CONNECTION,
  'postgres/sql.ts isOpen': CONNECTION,
  'engine/lanes.ts used': COPY,
  'engine/lanes.ts index': COPY,
  'journal/payloads.ts cached': COPY,
  'noise/silences/windows.ts known': COPY,
  'outbox/fan-out.ts prepared': 'holds statements',
  'heartbeats/heartbeats.ts aliveAt': PACE,
  'outbox/edits.ts notBefore': PACE,
  'outbox/notices.ts lookedAt': PACE,
  'brief/nearby.ts known': OUTSIDE,
  'brief/nearby.ts through': OUTSIDE,
  'brief/part.ts through': OUTSIDE,
  'engine/transaction.ts released': OUTSIDE,
  'heartbeats/heartbeats.ts pings': SHOWN,
  'noise/silences/silences.ts compile': OUTSIDE,
  'noise/silences/silences.ts isStarted': OUTSIDE,
  'outbox/notices.ts waysDown': SHOWN,
  'turn.ts unpruned': OUTSIDE,
  'turn.ts unsyncedBytes': OUTSIDE,
  'engine/turn-clock.ts standingAt': WITHIN,
  'heartbeats/heartbeats.ts dirty': WITHIN,
  'noise/decisions.ts hits': WITHIN,
  'noise/silences/silences.ts arriving': WITHIN,
  'oncall/personal-pages.ts taken': WITHIN,
}

test('a store remembers between transactions what a rollback brings back, and no more', () => {
  const found = globSync('**/*.ts', { cwd: STORE }).flatMap(variablesOf)
  assert.deepEqual(found.sort(), Object.keys(KNOWN).sort())
})

const FUNCTION = /^(?:export )?(?:async )?function\b/
const FACTORY = /^(?:export )?function (?:open|create)/
const VARIABLE = /^ {2}(?:let \[?(\w+)|const (\w+)(?:: [^=]+)? = (?:new (?:Map|Set|WeakMap)\b.*\(\)$|\[\]$))/

/** Returns the variables of a file's factories, as its name and theirs. */
function variablesOf(file: string): string[] {
  let isFactory = false
  return readFileSync(join(STORE, file), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (FUNCTION.test(line)) isFactory = FACTORY.test(line)
      const [, changed, filled] = (isFactory && VARIABLE.exec(line)) || []
      const name = changed ?? filled
      return name === undefined ? [] : [`${relative('.', file)} ${name}`]
    })
}
