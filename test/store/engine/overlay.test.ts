import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Caches, openOverlay } from '../../../src/store/engine/overlay.ts'

interface Row {
  readonly key: number
  readonly value: number
}

/** A disk with transactions. */
class Disk {
  rows = new Map<number, Row>()
  #before = new Map<number, Row>()
  reads = 0

  begin(): void {
    this.#before = new Map(this.rows)
  }

  rollback(): void {
    this.rows = this.#before
  }
}

function rig(max: number) {
  const disk = new Disk()
  const caches: Caches = []
  const overlay = openOverlay<number, Row>(caches, {
    max,
    read(key) {
      disk.reads++
      return disk.rows.get(key)
    },
  })
  const written: [Row, Row | undefined][] = []
  const flush = () =>
    overlay.flush((row, was) => {
      assert.deepEqual(was, disk.rows.get(row.key))
      written.push([row, was])
      disk.rows.set(row.key, row)
    })
  const commit = () => {
    for (const cache of caches) cache.commit?.()
  }
  const rollback = () => {
    for (const cache of caches) cache.rollback()
  }
  return { disk, overlay, flush, written, commit, rollback }
}

test('a row is written once, whatever changed it, and read from memory afterwards', () => {
  const { disk, overlay, flush, written, commit } = rig(10)
  overlay.add(1, { key: 1, value: 1 })
  overlay.set(1, { key: 1, value: 2 })
  commit()
  overlay.set(1, { key: 1, value: 3 })
  flush()
  flush()
  commit()
  assert.deepEqual(written, [[{ key: 1, value: 3 }, undefined]])
  assert.deepEqual(overlay.find(1), { key: 1, value: 3 })
  assert.equal(disk.reads, 0)
})

test('a rollback drops what the transaction changed and wrote, and keeps what waits from earlier ones', () => {
  const { disk, overlay, flush, commit, rollback } = rig(10)
  overlay.add(1, { key: 1, value: 1 })
  commit()
  disk.begin()
  overlay.set(1, { key: 1, value: 2 })
  overlay.add(2, { key: 2, value: 2 })
  flush()
  disk.rollback()
  rollback()
  assert.deepEqual([overlay.find(1)?.value, overlay.find(2)], [1, undefined])
  flush()
  assert.deepEqual([...disk.rows.values()], [{ key: 1, value: 1 }])
})

/** What a step does to the rows of a plain map. */
type Step =
  | { readonly kind: 'put'; readonly key: number; readonly value: number }
  | { readonly kind: 'delete' | 'find'; readonly key: number }
  | { readonly kind: 'flush' | 'add to all' | 'commit' | 'rollback' }

const key = fc.nat({ max: 7 })
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), key, value: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'find' as const), key }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('flush', 'add to all', 'commit', 'rollback') }) },
  ),
  { maxLength: 60 },
) as fc.Arbitrary<Step[]>

test('after any steps, memory has what a map has, and the disk after a write too', () => {
  const property = fc.property(steps, fc.integer({ min: 1, max: 4 }), (list, max) => {
    const { disk, overlay, flush, commit, rollback } = rig(max)
    let committed = new Map<number, Row>()
    let model = new Map<number, Row>()
    disk.begin()
    for (const step of list) {
      switch (step.kind) {
        case 'put': {
          const row = { key: step.key, value: step.value }
          if (overlay.find(step.key) === undefined) overlay.add(step.key, row)
          else overlay.set(step.key, row)
          model.set(step.key, row)
          break
        }
        case 'delete':
          disk.rows.delete(step.key)
          overlay.deleted(step.key)
          model.delete(step.key)
          break
        case 'find':
          assert.deepEqual(overlay.find(step.key), model.get(step.key))
          break
        case 'flush':
          flush()
          break
        case 'add to all':
          flush()
          for (const rows of [disk.rows, model])
            for (const row of rows.values()) rows.set(row.key, { ...row, value: row.value + 1 })
          overlay.forget()
          break
        case 'commit':
          commit()
          committed = new Map(model)
          disk.begin()
          break
        case 'rollback':
          disk.rollback()
          disk.begin()
          rollback()
          model = new Map(committed)
          break
        default:
          return step satisfies never
      }
    }
    for (let at = 0; at < 8; at++) assert.deepEqual(overlay.find(at), model.get(at))
    flush()
    assert.deepEqual(
      [...disk.rows.values()].sort((a, b) => a.key - b.key),
      [...model.values()].sort((a, b) => a.key - b.key),
    )
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 2_000, includeErrorInReport: true })
})
