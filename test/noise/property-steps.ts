import assert from 'node:assert/strict'
import type { StoreOptions } from '../../src/store/store-options.ts'
import type { Step } from '../store/outbox/steps.ts'
import { OutboxSubject } from '../store/outbox/subject.ts'

/** Puts the elements of `more` into the list, each at a random place. */
export function scattered<T>(list: readonly T[], more: readonly T[], random: Iterator<number>): T[] {
  const all = [...list]
  for (const one of more) all.splice((random.next().value ?? 0) % (all.length + 1), 0, one)
  return all
}

/** Runs the step on a disk that fails; returns whether it got as far. A failed one changed nothing. */
export function undone(subject: OutboxSubject, statement: number, step: Step): boolean {
  const before = subject.dump()
  let effect = () => {}
  const failed = subject.failsAt(statement, () => {
    effect = step(subject)
  })
  if (failed) assert.deepEqual(subject.dump(), before)
  else effect()
  return failed
}

export function withSubject(work: (subject: OutboxSubject) => void, rules?: Partial<StoreOptions>): void {
  const cleaning: (() => void)[] = []
  const subject = new OutboxSubject({ after: (clean) => void cleaning.push(clean) }, rules)
  try {
    work(subject)
  } finally {
    for (const clean of cleaning.toReversed()) clean()
  }
}
