import { BLOCK, type Block, newBlock, put, serviceOf } from './block.ts'
import { type Opened, openQuestion } from './question.ts'
import { WORDS } from './words.ts'

interface Similar extends Pick<Opened, 'problem'> {
  /** Number of the opening. */
  readonly id: number
  /** 0 to 1. */
  readonly score: number
}

/** The newest opening of each problem in memory, 116 bytes each, in blocks. A question compares all of them, so there is no index to keep. */
export function openSimilar() {
  /** By id. */
  const blocks: Block[] = []
  /** Numbers of openings, by problem. */
  const newest = new Map<number, number>()

  /** Joins a block with the next one when one is empty, or both nearly. Questions that have begun keep the old ones. */
  function join(nth: number): void {
    const [block, next] = [blocks[nth], blocks[nth + 1]]
    if (!block || !next || (block.live * next.live > 0 && block.live + next.live > BLOCK / 2)) return
    const joined = newBlock()
    for (const { ids, problems, services, words } of [block, next])
      for (const [slot, problem] of problems.entries())
        if (problem > 0) {
          const own = words.subarray(slot * WORDS, (slot + 1) * WORDS)
          put(joined, [ids[slot] ?? 0, problem, services[slot] ?? 0], own)
        }
    blocks.splice(nth, 2, joined)
  }

  /** Forgets an opening. */
  function remove(id: number): void {
    const nth = blocks.findLastIndex(({ ids }) => (ids[0] ?? 0) <= id)
    const block = blocks[nth]
    const slot = block?.ids.indexOf(id) ?? -1
    const problem = block?.problems[slot]
    if (block === undefined || !problem) return
    block.problems[slot] = 0
    block.live--
    newest.delete(problem)
    join(nth)
    join(nth - 1)
  }

  return {
    /** Adds the newest opening of a problem; one whose id is not above all others is there already. */
    add({ id, problem, service, words }: Opened & { readonly id: number }): void {
      const last = blocks.at(-1)
      if (last && id <= (last.ids[last.used - 1] ?? 0)) return
      const earlier = newest.get(problem)
      if (earlier !== undefined) remove(earlier)
      newest.set(problem, id)
      const end = blocks.at(-1)
      const block = end && end.used < BLOCK ? end : newBlock()
      if (block !== end) blocks.push(block)
      put(block, [id, problem, serviceOf(service)], words)
    },
    remove,
    /**
     * Returns the most similar openings of other problems, the best first and the newest of equal ones. Yields about once a
     * millisecond; openings may be added and removed meanwhile.
     */
    *nearest(asked: Opened, limit: number): Generator<undefined, Similar[]> {
      const question = openQuestion(asked)
      const compared: { readonly block: Block; readonly near: Uint8Array }[] = []
      for (const block of [...blocks]) {
        compared.push({ block, near: question.match(block) })
        yield
      }
      const score = question.scoring()
      const best: Similar[] = []
      for (const { block, near } of compared) {
        for (let slot = 0; slot < near.length; slot++) {
          const problem = near[slot] === 1 ? (block.problems[slot] ?? 0) : 0
          if (problem > 0) rank(best, { id: block.ids[slot] ?? 0, problem, score: score(block, slot) }, limit)
        }
        yield
      }
      return best
    },
  }
}

/** Keeps the best, the newest of equal ones, best first. */
function rank(best: Similar[], similar: Similar, limit: number): void {
  const { score } = similar
  if (score === 0 || (best.length === limit && score < (best.at(-1)?.score ?? 0))) return
  best.push(similar)
  best.sort((one, other) => other.score - one.score || other.id - one.id).splice(limit)
}
