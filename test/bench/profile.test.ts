import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { COLLECTOR, type CpuProfile, selfTimes } from '../../bench/profile/cpu-profile.ts'
import { record } from '../../bench/profile/recorder.ts'
import { INSPECT, inspectorUrl } from '../../bench/profile/services.ts'

const node = (id: number, functionName: string, children: number[] = [], url = '') => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
})
const commit = new URL('../../src/store/commit.ts', import.meta.url).href
const PROFILE: CpuProfile = {
  nodes: [
    node(1, '(root)', [2, 3, 5]),
    node(2, '(idle)'),
    node(3, 'turn', [4]),
    node(4, 'commit', [], commit),
    node(5, '(garbage collector)'),
  ],
  samples: [2, 3, 4, 4, 5],
  timeDeltas: [50_000, 1_000, 2_000, 3_000, 4_000],
}

test('a function has the time of its own samples, in all profiles of one thread, without the time it was idle', () => {
  assert.deepEqual(selfTimes([PROFILE, PROFILE]), [
    { name: 'commit src/store/commit.ts:10', ms: 10 },
    { name: COLLECTOR, ms: 8 },
    { name: 'turn', ms: 2 },
  ])
})

test('every thread of a process is recorded, nested and later ones included', { timeout: 60_000 }, async (t) => {
  const script = new URL('./fixtures/nested-threads.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [...INSPECT, script], { stdio: ['pipe', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const recording = await record(await inspectorUrl(child.stderr), 'stacks')
  child.stdin.write('start\n')
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const threads = await recording.stop()
  assert.deepEqual(threads.map(({ thread }) => thread).sort(), ['child', 'grandchild', 'main'])
  for (const { profile, utilization } of threads) {
    assert.ok(profile && profile.samples.length > 0)
    assert.ok(utilization >= 0 && utilization <= 1)
  }
})
