/** Returns JSON values as YAML in block style. The library would double the weight of the dashboard. */
export function asYaml(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((each) => prefixed('- ', linesOf(each)))
  if (!isMap(value)) return [scalarOf(value)]
  return Object.entries(value).flatMap(([key, each]) => {
    const lines = linesOf(each)
    const isBlock = isMap(each) || (Array.isArray(each) && each.some((item) => typeof item === 'object'))
    if (isBlock) return [`${scalarOf(key)}:`, ...lines.map((line) => `  ${line}`)]
    return [`${scalarOf(key)}: ${Array.isArray(each) ? `[${each.map(scalarOf).join(', ')}]` : lines[0]}`]
  })
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const prefixed = (mark: string, [first = '', ...rest]: readonly string[]) => [
  mark + first,
  ...rest.map((line) => `  ${line}`),
]

/** Text that YAML reads as the same text without quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w./-]*(?: [\w./-]+)*$/i

/** JSON is YAML: what is not plain text stands in quotes. */
const scalarOf = (value: unknown) => (typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value))
