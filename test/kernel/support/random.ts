import type { Slot } from '../../../src/kernel/mailbox.ts'
import { randomFrom } from '../../harness/random.ts'

/** Returns a function that frees slots in random order, a random number of them in each turn of the event loop. */
export function freesAtRandom(seed: number): (slot: Slot) => void {
  const random = randomFrom(seed)
  const held: Slot[] = []
  const freeSome = () => {
    for (let count = Math.ceil(random() * held.length); count > 0; count--) {
      held.splice(Math.floor(random() * held.length), 1)[0]?.free()
    }
    if (held.length > 0) setImmediate(freeSome)
  }
  return (slot) => {
    if (held.push(slot) === 1) setImmediate(freeSome)
  }
}
