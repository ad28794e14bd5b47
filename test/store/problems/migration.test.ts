import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, openStore } from '../database.ts'
import { VERSIONS, writeDatabase } from '../schema-history.ts'
import { freshDir, turn } from '../support.ts'

for (const version of VERSIONS)
  test(`a database of version ${version} gets the problems of its incidents`, (t) => {
    const dataDir = freshDir(t)
    writeDatabase(dataDir, version)
    const db = openDatabase(dataDir)
    const limits = { maxIncidents: 1_000, maxBacklog: 1_000 }
    let now = 1_800_000_600_000
    const store = openStore({ dataDir, channels: ['chatws'], ...limits, now: () => now }, db)
    t.after(() => store.close())
    while (store.journal.leftBehind() > 0) turn(store, {})
    now += 200
    while (store.problems.nextAt() <= now) turn(store, {})
    const stored = db
      .prepare(
        'SELECT fingerprint, firing_total + resolved_total AS n, last_incident FROM problems ORDER BY fingerprint',
      )
      .all()
    const counted = db
      .prepare(
        'SELECT fingerprint, count(*) AS n, max(seq) AS last_incident FROM incidents GROUP BY fingerprint ORDER BY fingerprint',
      )
      .all()
    assert.deepEqual(stored, counted)
    const [seventh] = store.problems.list({ limit: 100, q: 'incident 7' }).problems
    assert.deepEqual([seventh?.state, seventh?.ended_by, seventh?.acked_by], ['resolved', 'person', 'Ada'])
    const [first] = store.problems.list({ limit: 1 }).problems
    assert(first)
    assert.equal(store.problems.detail(first.id)?.incidents[0]?.id, first.last_incident_id)
  })
