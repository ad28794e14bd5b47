import assert from 'node:assert/strict'

interface Scrape {
  /** Types by name. */
  readonly types: ReadonlyMap<string, string>
  /** Values by name and labels, as written. */
  readonly values: ReadonlyMap<string, number>
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (NaN|[+-]?Inf|[+-]?[\d.]+(?:e[+-]?\d+)?)$/i

/** Parses Prometheus text. Fails on an invalid line. */
export function scrapeOf(text: string): Scrape {
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (name !== undefined && type !== undefined) types.set(name, type)
    if (line === '' || line.startsWith('#')) continue
    const sample = SAMPLE.exec(line)
    assert.ok(sample, line)
    values.set(`${sample[1]}${sample[2] ?? ''}`, Number(sample[3]))
  }
  return { types, values }
}
