import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ON_FILES } from '../../store/database.ts'
import { HOUR, SilenceRig, silenceOf } from '../../store/noise/silences/rig.ts'
import { START } from '../../store/support.ts'

const DAY = 24 * HOUR
const SWITCH = { field: 'service', values: ['switch'], where: '' }
/** Holds what comes of the service `db` while a problem of the service `switch` fires. */
const BEHIND = silenceOf({ startsAt: 0, endsAt: START + 300 * DAY, while: [SWITCH] })
const cause = { service: 'switch', sender: 'cloud_alarm' } as const
const messages = (told: readonly string[]) => told.filter((each) => !each.includes('🔔'))
const stateOf = (rig: SilenceRig) => rig.store.silences.list({ limit: 10 }).silences[0]?.state

/** Some causes overlap; restarts and failed commits come at any moment. */
test('what is committed while a cause fires is told when none does, and nothing is told twice', (t) => {
  const problem = fc.nat(2)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('cause' as const), problem }),
    fc.record({ kind: fc.constant('cause over' as const), problem }),
    fc.record({ kind: fc.constant('cause resolved' as const), problem }),
    fc.constant({ kind: 'incident' as const }),
    fc.constant({ kind: 'incident' as const }),
    fc.constant({ kind: 'restart' as const }),
    fc.constant({ kind: 'failure' as const }),
    fc.constant({ kind: 'clock' as const }),
  )
  const numRuns = 'skip' in ON_FILES ? 4 : 40
  let holding = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 40 }), (steps) => {
      const rig = new SilenceRig(t, [BEHIND])
      const causes = new Map<string, string>()
      const held: string[] = []
      const told: string[] = []
      const deliver = () => {
        rig.deliver()
        told.push(...messages(rig.takeTold()).filter((each) => !each.includes('cause')))
      }
      steps.forEach((one, nth) => {
        switch (one.kind) {
          case 'cause':
            causes.set(`cause ${one.problem}`, rig.incident(`cause ${one.problem}`, cause))
            break
          case 'cause over':
            rig.resolved(`cause ${one.problem}`, cause)
            causes.delete(`cause ${one.problem}`)
            break
          case 'cause resolved':
            rig.store.operator.resolve(causes.get(`cause ${one.problem}`) ?? '', 'Bea')
            causes.delete(`cause ${one.problem}`)
            break
          case 'incident':
            rig.incident(`n${nth}`)
            held.push(`chatws: n${nth}`)
            break
          case 'restart':
            rig.reopen()
            break
          case 'failure':
            rig.failingAtCommit(() => assert.throws(() => rig.incident('cause lost', cause)))
            break
          case 'clock':
            rig.now += 1_000
            rig.turn({ clockJumpMs: 1_000 })
            break
          default:
            one satisfies never
        }
        if (causes.size === 0) {
          deliver()
          assert.deepEqual(told.splice(0).toSorted(), held.splice(0).toSorted())
        } else {
          rig.deliver()
          assert.deepEqual(
            messages(rig.takeTold()).filter((each) => !each.includes('cause')),
            [],
          )
          holding += held.length
        }
        assert.equal(stateOf(rig), causes.size > 0 ? 'active' : 'scheduled')
      })
      rig.store.close()
    }),
    { numRuns, seed: 20_300_101 },
  )
  assert.ok(holding > (numRuns === 40 ? 100 : 0), `${holding} held`)
})

test('at most 1,000 silences are live', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const add = (nth: number) =>
    rig.store.silences.add(silenceOf({ name: `silence ${nth}`, startsAt: START + HOUR / 2 }), false)
  for (let nth = 2; nth <= 1_000; nth++) add(nth)
  assert.throws(() => add(1_001), { code: 'bad_parameter', message: 'there are 1000 silences: end some of them first' })
  rig.store.silences.end(2, 'Anna')
  add(1_001)
})
