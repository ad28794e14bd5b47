import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Sql } from '../../../src/store/engine/sql.ts'
import { compileForTests, HOUR, MINUTE, silenceOf } from '../../store/noise/silences/rig.ts'
import { StorageRig } from './storage-rig.ts'

const EARLIER = 1_699_999_999_000
/** Holds what comes of the service `db` while a problem of the service `switch` fires. */
const BEHIND = silenceOf({
  ...{ startsAt: 0, endsAt: EARLIER + 300 * 24 * HOUR },
  while: [{ field: 'service', values: ['switch'], where: '' }],
})

/** A cause that fires, and a message that waits for its end; nothing else comes. */
function given(t: TestContext, seed?: (db: Sql) => void) {
  const silences = { compile: compileForTests, configured: [BEHIND] }
  const rig = new StorageRig(t, { silences }, { seed })
  const raise = (ServiceName: string, status = 'firing') =>
    rig.commit(1, {}, { ServiceName, title: ServiceName, status })
  const [stateOf, heldOf] = [
    () => rig.store.silences.list({ limit: 1 }).silences[0]?.state,
    () => rig.store.silences.state().held,
  ]
  raise('switch')
  rig.clock.advance(MINUTE)
  raise('db')
  rig.clock.advance(300)
  assert.deepEqual([stateOf(), heldOf()], ['active', 1])
  return { rig, raise, outcome: () => [stateOf(), heldOf()] }
}

const OVER = ['scheduled', 0]

test('the window closes at once when the cause is resolved', (t) => {
  const { rig, raise, outcome } = given(t)
  raise('switch', 'resolved')
  rig.clock.advance(10)
  assert.deepEqual(outcome(), OVER)
})

test('the window closes when the cause goes quiet', (t) => {
  const { rig, outcome } = given(t)
  rig.clock.advance(29 * MINUTE)
  assert.deepEqual(outcome(), OVER)
})

test('the window closes when retention deletes the cause in an idle moment', (t) => {
  const { rig, outcome } = given(t, (db) => addProblems(db, 49_999))
  rig.clock.advance(2_000)
  assert.deepEqual(outcome(), OVER)
})

/** Adds problems that fire for a day and more. */
function addProblems(db: Sql, count: number): void {
  db.exec(`
    INSERT INTO problems (id, fingerprint, state, brief, last_at, since, opened_at, opening, first_at, firing, firing_total, resolved_total,
      level, flap_at, title, service, severity, sender, source, last_incident, last_id)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    SELECT n + 1000000, 'f' || n, 0, 0, ${EARLIER}, ${EARLIER}, ${EARLIER}, 0, ${EARLIER}, 1, 1, 0,
      2, ${EARLIER}, 'title', 'web', 'warning', 'cloud_alarm', 'webhook', 0, '' FROM numbers`)
}
