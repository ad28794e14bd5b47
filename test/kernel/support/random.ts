import type { Slot } from '../../../src/kernel/mailbox.ts'

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Settles what it is given in random order, a random number at a time, each turn of the event loop. */
export function freesAtRandom(seed: number): (slot: Slot) => void {
  const random = randomFrom(seed)
  const held: Slot[] = []
  const settleSome = () => {
    for (let count = Math.ceil(random() * held.length); count > 0; count--) {
      held.splice(Math.floor(random() * held.length), 1)[0]?.free()
    }
    if (held.length > 0) setImmediate(settleSome)
  }
  return (slot) => {
    if (held.push(slot) === 1) setImmediate(settleSome)
  }
}
