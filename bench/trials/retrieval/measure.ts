import type { Fired } from './history.ts'
import type { Method } from './methods.ts'

const ENTRIES = 5

export interface Quality {
  /** Share of the briefs with an earlier opening of the family among five entries, where there is one. */
  readonly recall: number
  /** The same without entries of the own problem, where another problem of the family fired before. */
  readonly hidden: number
  /** The same for the first opening of a problem: all, and by kind of family. */
  readonly fresh: number
  readonly byKind: ReadonlyMap<string, number>
  /** Entries of a brief whose family never fired before. */
  readonly wrong: number
}

/** Asks for each opening of `range` after those before it were added; the order is that of time. */
export function qualityOf(history: readonly Fired[], method: Method, [from, to]: readonly [number, number]): Quality {
  const problems = new Map<number, Set<number>>()
  const familyOf = new Map<number, number>()
  const [known, hidden, fresh, wrong] = [openShare(), openShare(), openShare(), openShare()]
  const byKind = new Map<string, ReturnType<typeof openShare>>()
  history.slice(0, to).forEach((opening, at) => {
    const { family, problem, kind } = opening
    const before = problems.get(family) ?? new Set()
    if (at >= from) {
      const hasOwn = before.has(problem)
      const found = method.list(opening, ENTRIES)
      const isRight = (each: number) => familyOf.get(each) === family
      if (before.size === 0) wrong.add(found.length)
      else known.add(Number(hasOwn || found.slice(0, ENTRIES - Number(hasOwn)).some(isRight)))
      const isFound = Number(found.some(isRight))
      if (before.size > Number(hasOwn)) hidden.add(isFound)
      if (before.size > 0 && !hasOwn) {
        const share = byKind.get(kind) ?? openShare()
        byKind.set(kind, share)
        for (const each of [fresh, share]) each.add(isFound)
      }
    }
    method.add(opening)
    problems.set(family, before.add(problem))
    familyOf.set(problem, family)
  })
  const shares = Array.from(byKind, ([kind, share]) => [kind, share.value()] as const)
  return {
    recall: known.value(),
    hidden: hidden.value(),
    fresh: fresh.value(),
    wrong: wrong.value(),
    byKind: new Map(shares),
  }
}

function openShare() {
  let [sum, count] = [0, 0]
  return {
    add(value: number): void {
      sum += value
      count++
    },
    value: () => sum / count,
  }
}
