import assert from 'node:assert/strict'
import type { Connection } from '../../../src/journal/postgres/connection.ts'
import type { Appenders } from './appenders.ts'
import { bodiesIn, committedIn } from './support.ts'

/** Every answered incident is there once, with its number; of the others only those whose append threw may be. */
export function assertWhole(
  connection: Connection,
  { answered, refused }: Pick<Appenders, 'answered' | 'refused'>,
): void {
  const committed = committedIn(connection)
  const bodies = bodiesIn(connection, 1, committed)
  assert.equal(bodies.size, committed, 'the numbers have no gaps')
  assert.equal(new Set(bodies.values()).size, committed, 'no incident is there twice')
  for (const [number, { body }] of answered) assert.equal(bodies.get(number), body)
  assert.equal(new Set(Array.from(answered.values(), ({ id }) => id)).size, answered.size, 'the ids are unique')
  const other = [...bodies].filter(([number]) => !answered.has(number))
  for (const [number, body] of other) assert.ok(refused.has(body), `${number} was never sent`)
}
