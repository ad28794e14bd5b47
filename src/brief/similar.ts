import { type Columns, openQuestion, serviceOf } from './question.ts'
import { WORDS } from './words.ts'

/** Openings that are compared before the caller has its turn: about a millisecond. */
const STEP = 16_384

/** One time that a problem fired. */
interface Opening {
  /** Larger than those of all openings before it. */
  readonly id: number
  /** Number of the problem, above 0. */
  readonly problem: number
  /** '': none. */
  readonly service: string
  /** By `wordsOf`. */
  readonly words: Uint32Array
}

interface Similar extends Pick<Opening, 'id' | 'problem'> {
  /** 0 to 1. */
  readonly score: number
}

/**
 * Openings in memory, the newest `capacity` at least, 116 bytes each. A question compares all of them, so there is no index
 * to keep.
 */
export function openSimilar(capacity: number) {
  // The system gives the memory when it is first written.
  const size = capacity + (capacity >> 2) + 1
  const columns: Columns = {
    ids: new Float64Array(size),
    problems: new Float64Array(size),
    services: new Uint32Array(size),
    words: new Uint32Array(size * WORDS),
  }
  const { ids, problems, services, words } = columns
  /** Slots in use, and how often openings have moved to other slots. */
  let [end, moves] = [0, 0]

  /** Moves the openings together, without those that were removed and the oldest above the capacity. */
  function compact(): void {
    let above = problems.subarray(0, end).filter((problem) => problem !== 0).length - capacity
    let to = 0
    for (let slot = 0; slot < end; slot++) {
      if (problems[slot] === 0 || above-- > 0) continue
      for (const column of [ids, problems, services]) column.copyWithin(to, slot, slot + 1)
      words.copyWithin(to++ * WORDS, slot * WORDS, (slot + 1) * WORDS)
    }
    ;[end, moves] = [to, moves + 1]
  }

  /** Calls for each slot, and yields after each step. Returns false when openings have moved. */
  function* inSteps(through: number, visit: (slot: number) => void): Generator<undefined, boolean> {
    const began = moves
    for (let from = 0; from < through; from += STEP) {
      for (let slot = from; slot < Math.min(from + STEP, through); slot++) visit(slot)
      yield
      if (moves !== began) return false
    }
    return true
  }

  return {
    /** Adds an opening; one whose id is not above all others is there already. */
    add(opening: Opening): void {
      if (end > 0 && opening.id <= (ids[end - 1] ?? 0)) return
      if (end === size) compact()
      ids[end] = opening.id
      problems[end] = opening.problem
      services[end] = serviceOf(opening.service)
      words.fill(0, end * WORDS, (end + 1) * WORDS)
      words.set(opening.words.subarray(0, WORDS), end++ * WORDS)
    },
    /** Forgets an opening. O(log n). */
    remove(id: number): void {
      const slot = slotOf(ids.subarray(0, end), id)
      if (ids[slot] === id) problems[slot] = 0
    },
    /**
     * Returns the most similar openings of other problems, the best first and the newest of equal ones, one for each
     * problem. Yields about once a millisecond; openings may be added and removed meanwhile.
     */
    *nearest(asked: Omit<Opening, 'id'>, limit: number): Generator<undefined, Similar[]> {
      for (;;) {
        const [through, best] = [end, [] as Similar[]]
        const masks = new Uint32Array(through)
        const question = openQuestion(columns, asked)
        const isMatched = yield* inSteps(through, (slot) => {
          masks[slot] = question.match(slot)
        })
        if (!isMatched) continue
        const score = question.scoring()
        const isRanked = yield* inSteps(through, (slot) => {
          const [mask = 0, id = 0, problem = 0] = [masks[slot], ids[slot], problems[slot]]
          if (mask !== 0 && problem !== 0) rank(best, { id, problem, score: score(slot, mask) }, limit)
        })
        if (isRanked) return best
      }
    },
  }
}

/** Keeps the best opening of each problem, the newest of equal ones, best first. */
function rank(best: Similar[], similar: Similar, limit: number): void {
  const { problem, score } = similar
  if (score === 0 || (best.length === limit && score < (best.at(-1)?.score ?? 0))) return
  const at = best.findIndex((each) => each.problem === problem)
  if (score < (best[at]?.score ?? 0)) return
  if (at >= 0) best.splice(at, 1)
  best.push(similar)
  best.sort((one, other) => other.score - one.score || other.id - one.id).splice(limit)
}

/** Returns the first slot whose id is not below `id`. */
function slotOf(ids: Float64Array, id: number): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}
