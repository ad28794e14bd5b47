import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SilenceSettings } from '../../../src/policy/silences/settings.ts'
import { ON_FILES, openDatabase, rowsOf } from '../database.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from '../noise/silences/rig.ts'
import { START } from '../support.ts'

interface HeldRow {
  readonly silence: number
  readonly problem: number
  readonly held: number | null
  readonly destination: number
  readonly level: number
}

const SEVERITIES = ['critical', 'warning', 'info']
const BOTH = silenceOf({ name: 'all', endsAt: START + 20 * HOUR })
const WARNINGS: SilenceSettings = silenceOf({
  name: 'warnings',
  endsAt: START + 20 * HOUR,
  conditions: [{ field: 'severity', values: ['warning'], where: '' }],
})

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('fires' as const), of: fc.nat(3), severity: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resolves' as const), of: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delivers' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fails' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restarts' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('begins' as const), which: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ends' as const), which: fc.nat(1) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function take(rig: SilenceRig, one: Step): void {
  const active = rig.store.silences.list({ state: 'active', limit: 100 }).silences.map(({ id }) => id)
  const incident = (of: number, severity: number) =>
    rig.incident(`p${of}`, { sender: 'cloud_alarm', severity: SEVERITIES[severity] ?? 'info' })
  rig.now += MINUTE
  switch (one.kind) {
    case 'fires':
      incident(one.of, one.severity)
      return
    case 'resolves':
      rig.resolved(`p${one.of}`, { sender: 'cloud_alarm' })
      return
    case 'delivers':
      return rig.deliver()
    case 'fails':
      return rig.failingAtCommit(() => assert.throws(() => incident(0, 0)))
    case 'restarts':
      return rig.reopen()
    case 'begins':
      if (active.length < 3) rig.store.silences.add(one.which === 0 ? BOTH : WARNINGS, true)
      return
    case 'ends': {
      const id = active[one.which]
      if (id !== undefined) rig.store.silences.end(id, 'Bea')
      return
    }
  }
}

/** Problems, firing, criticals and pages of each active silence, by its sums and by its tellings. */
function sumsOf(rig: SilenceRig) {
  const { silences } = rig.store.silences.list({ state: 'active', limit: 100 })
  const said = silences.map(({ id, held }) => [id, held?.problems, held?.firing, held?.criticals, held?.pages])
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  const rows = rowsOf<HeldRow>(db, 'SELECT silence, problem, held, destination, level FROM tellings')
  const deliveries = rowsOf<{ held: number }>(db, 'SELECT count(*) AS held FROM dispatches WHERE state = 6')[0]?.held
  db.close()
  rig.reopen()
  const counted = silences.map(({ id }) => {
    const problems = [...Map.groupBy(rows, ({ problem }) => problem).values()]
      .map((of) => of.filter(({ silence }) => silence === id))
      .filter(({ length }) => length > 0)
    const firing = problems.filter((of) => of.some(({ held }) => held !== null))
    const criticals = firing.filter((of) => of.some(({ level }) => level === 0))
    const pages = problems.filter((of) => of.some(({ held, destination }) => held !== null && destination === 31))
    return [id, problems.length, firing.length, criticals.length, pages.length]
  })
  const heldDeliveries = rows.filter(({ held, destination }) => held !== null && destination !== 31).length
  return { said, counted, deliveries, heldDeliveries }
}

test('the sums of silences are those of what they hold, after any steps, failures and restarts', (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const rig = new SilenceRig(t)
      rig.store.silences.add(BOTH, true)
      for (const one of steps) take(rig, one)
      const { said, counted, deliveries, heldDeliveries } = sumsOf(rig)
      assert.deepEqual(said, counted)
      assert.equal(deliveries, heldDeliveries)
    }),
    { numRuns: 'skip' in ON_FILES ? 3 : 8 },
  )
})
