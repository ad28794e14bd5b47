import { RE2JS } from 're2js'

export interface PrefilterOptions {
  /** RE2 syntax; tried after the rules. */
  readonly defaultPattern: string
  readonly rules: readonly { readonly name: string; readonly pattern: string }[]
}

/**
 * Returns the name of the first rule that matches anywhere in the text, `default` for the default pattern. Returns
 * undefined when the line is to be dropped.
 */
type Prefilter = (text: string) => string | undefined

const EVERYTHING = new Set(['', '.*', '.+', '(?s).*', '(?s).+'])

export function createPrefilter({ defaultPattern, rules }: PrefilterOptions): Prefilter {
  const named = [...rules, { name: 'default', pattern: defaultPattern }]
  const tests = named.map(({ name, pattern }) => ({ name, matches: matcherOf(pattern) }))
  return (text) => {
    for (const { name, matches } of tests) if (matches(text)) return name
    return undefined
  }
}

function matcherOf(pattern: string): (text: string) => boolean {
  if (EVERYTHING.has(pattern)) return () => true
  const compiled = RE2JS.compile(pattern)
  return (text) => compiled.test(text)
}
