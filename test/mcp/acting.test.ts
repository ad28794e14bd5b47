import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openActing } from '../../actors/main/mcp/acting.ts'
import { load } from '../config/setup.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const TOKEN = { name: 'ops', token: '', scope: 'act', actOn: [], mayStopPages: false } as const
const PROBLEM = {
  level: 'critical',
  opened_at: '2026-11-28T08:00:00.000Z',
  firing: 2,
  state: 'firing',
  acked_at: null,
  last_incident_id: 'x',
}

test('a handle is good for two minutes, also when the clock of the machine is set back', async () => {
  const clock = new ManualClock()
  const done: string[] = []
  const acting = openActing({
    settings: () => load('').config,
    clock,
    personResolved: never,
    confirmed: (action) => done.push(action),
    askStorage: (async ({ shown }: { shown?: string }) => ({
      ...{ kind: shown === undefined ? 'ready' : 'done', problem: PROBLEM, shown: 'as it is', pages: 0 },
    })) as never,
  })
  const preview = async () => {
    const { own } = await acting.preview(TOKEN, { action: 'acknowledge', id: 7 }, never)
    return own as { handle: string; what: string }
  }
  const [late, inTime] = [await preview(), await preview()]
  assert.notEqual(late.handle, inTime.handle)
  assert.match(late.handle, /^[\w-]{22}$/)
  clock.jump(-3_600_000)
  clock.advance(119_999)
  await acting.confirm(TOKEN, inTime, never)
  clock.advance(1)
  await assert.rejects(acting.confirm(TOKEN, late, never), { code: 'confirm_stale' })
  assert.deepEqual(done, ['acknowledge'])
})

const never = () => assert.fail('no route is asked')
