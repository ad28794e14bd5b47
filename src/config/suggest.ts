import { distance } from 'fastest-levenshtein'

/**
 * Returns the known name with the smallest edit distance, if it is at most 2 or a third of the name: the larger counts.
 */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const reach = Math.max(2, Math.floor(name.length / 3))
  const near = known.map((each) => ({ each, far: distance(name.toLowerCase(), each) }))
  return near.filter(({ far }) => far <= reach).sort((a, b) => a.far - b.far)[0]?.each
}
