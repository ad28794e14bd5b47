import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { openDatabase, openStore, rowsOf } from '../store/database.ts'
import { freshDir, turn } from '../store/support.ts'

const WRITER = new URL('../store/problems/killed-writer.ts', import.meta.url)

test('after a process is killed, problems get the incidents that only its memory had added', async (t) => {
  const dataDir = freshDir(t)
  let unwritten = 0
  for (let life = 0; life < 3; life++) {
    const writer = fork(WRITER, [dataDir])
    await once(writer, 'message')
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    unwritten += settled(dataDir)
  }
  assert(unwritten > 0, 'no kill lost anything')
})

/** Opens the store, writes all that waits, and checks it; returns the number of incidents that waited. */
function settled(dataDir: string): number {
  let ahead = 0
  const db = openDatabase(dataDir)
  const limits = { maxIncidents: 100_000, maxBacklog: 100_000 }
  const lost = 'SELECT (SELECT max(seq) FROM incidents) - through AS incidents FROM problem_progress'
  const [{ incidents: waiting = 0 } = {}] = rowsOf<{ incidents: number }>(db, lost)
  const store = openStore({ dataDir, channels: ['chatws'], ...limits, now: () => Date.now() + ahead }, db)
  try {
    assert.equal(store.status.state().problemLag, 0)
    ahead = 200
    while (store.problems.nextAt() <= Date.now() + ahead) {
      turn(store, {})
      ahead += 200
    }
    const stored =
      'SELECT fingerprint, id, firing_total AS firing, resolved_total AS resolved, last_incident AS last FROM problems ORDER BY fingerprint'
    const counted = `SELECT fingerprint, min(seq) AS id, sum(status = 'firing') AS firing, sum(status = 'resolved') AS resolved, max(seq) AS last
      FROM incidents GROUP BY fingerprint ORDER BY fingerprint`
    assert.deepEqual(db.prepare(stored).all(), db.prepare(counted).all())
    const stray =
      'SELECT seq FROM incidents i WHERE NOT EXISTS (SELECT 1 FROM problems p WHERE p.id = i.problem AND p.fingerprint = i.fingerprint)'
    assert.deepEqual(db.prepare(stray).all(), [])
    const open = `SELECT seq FROM incidents i WHERE status = 'firing' AND resolved_at IS NULL AND seq <
      (SELECT max(seq) FROM incidents r WHERE r.fingerprint = i.fingerprint AND r.status = 'resolved')`
    assert.deepEqual(db.prepare(open).all(), [])
    return waiting
  } finally {
    store.close()
  }
}
