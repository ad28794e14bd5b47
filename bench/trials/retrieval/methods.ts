import { openSimilar } from '../../../src/brief/similar.ts'
import type { Fired } from './history.ts'

/** Lists problems for an opening, at most `limit`, best first. The problem of the opening is not among them. */
export interface Method {
  list(asked: Fired, limit: number): readonly number[]
  add(opening: Fired): void
}

export function similar(): Method {
  const index = openSimilar()
  let last = 0
  return {
    add: (opening) => index.add({ id: ++last, ...opening }),
    list(asked, limit) {
      const steps = index.nearest(asked, limit)
      for (;;) {
        const { done, value } = steps.next()
        if (done) return value.map(({ problem }) => problem)
      }
    },
  }
}

export const nothing = (): Method => ({ add: () => {}, list: () => [] })

/** The problems of the service that fired last. */
export function newestOfService(): Method {
  const newest = new Map<string, Set<number>>()
  return {
    add({ service, problem }) {
      const problems = newest.get(service) ?? new Set()
      newest.set(service, problems)
      problems.delete(problem)
      problems.add(problem)
    },
    list: ({ service, problem }, limit) =>
      [...(newest.get(service) ?? [])]
        .filter((each) => each !== problem)
        .reverse()
        .slice(0, limit),
  }
}

const K1 = 1.2
const B = 0.75

/** BM25 over the titles, one document for each problem. */
export function bm25(): Method {
  const documents = new Map<number, number>()
  const having = new Map<string, Set<number>>()
  let words = 0
  const wordsIn = (title: string) => new Set(title.toLowerCase().match(/\p{L}+/gu) ?? [])
  return {
    add({ problem, title }) {
      if (documents.has(problem)) return
      const own = wordsIn(title)
      documents.set(problem, own.size)
      words += own.size
      for (const word of own) having.set(word, (having.get(word) ?? new Set()).add(problem))
    },
    list({ problem, title }, limit) {
      const scores = new Map<number, number>()
      for (const word of wordsIn(title)) {
        const found = having.get(word) ?? new Set<number>()
        const weight = Math.log(1 + (documents.size - found.size + 0.5) / (found.size + 0.5))
        for (const each of found) {
          const long = ((documents.get(each) ?? 0) * documents.size) / words
          const score = (weight * (K1 + 1)) / (1 + K1 * (1 - B + B * long))
          scores.set(each, (scores.get(each) ?? 0) + score)
        }
      }
      scores.delete(problem)
      return [...scores]
        .sort((one, other) => other[1] - one[1])
        .slice(0, limit)
        .map(([each]) => each)
    },
  }
}
