import { distance } from 'fastest-levenshtein'

/** The known name that a slip of the fingers away from `name`, if there is one. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const reach = Math.max(2, Math.floor(name.length / 3))
  const near = known.map((each) => ({ each, far: distance(name.toLowerCase(), each) }))
  return near.filter(({ far }) => far <= reach).sort((a, b) => a.far - b.far)[0]?.each
}
