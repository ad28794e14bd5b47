import { formatFloat } from '../format-float.ts'
import { goText } from '../go-format.ts'
import { goQuote } from '../go-quote.ts'
import { GoFloat, isMap, numeric, sortedKeys, stringIn } from '../values.ts'

/** Implements %#v: returns the value as Go source. */
export function goSyntax(value: unknown): string {
  return source(value, '<nil>')
}

function source(value: unknown, nil: string): string {
  if (value === null || value === undefined) return nil
  const string = stringIn(value)
  if (string !== undefined) return goQuote(string, '"', 'unicode')
  if (Array.isArray(value))
    return `[]interface {}{${value.map((item) => source(item, 'interface {}(nil)')).join(', ')}}`
  if (isMap(value)) {
    const pairs = sortedKeys(value).map(
      (key) => `${goQuote(key, '"', 'unicode')}:${source(value[key], 'interface {}(nil)')}`,
    )
    return `map[string]interface {}{${pairs.join(', ')}}`
  }
  if (value instanceof GoFloat) return formatFloat(Number(numeric(value)), 'g', -1)
  return goText(value)
}
