/** Where `${VAR}` and `${file:/path}` take their values from. */
export interface Lookups {
  variable(name: string): string | undefined
  /** The text of a file; throws when it cannot be read. */
  file(path: string): string
}

interface Substituted {
  readonly text: string
  /** The text was one reference and nothing else. */
  readonly whole: boolean
  readonly faults: readonly string[]
}

const VARIABLE = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/
const DEEPEST = 32

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${file:/path}`; defaults and paths may hold references again, values never do.
 * `$${` stands for a literal `${`. Returns undefined when the text holds neither.
 */
export function substitute(source: string, lookups: Lookups): Substituted | undefined {
  if (!source.includes('${')) return undefined
  const faults: string[] = []
  const text = expand(source, 0)
  const whole = source.startsWith('${') && closing(source, 2) === source.length - 1
  return { text, whole, faults }

  function expand(piece: string, depth: number): string {
    if (depth > DEEPEST) return fault('nests references too deep')
    let out = ''
    let at = 0
    for (let open = piece.indexOf('${'); open >= 0; open = piece.indexOf('${', at)) {
      if (piece[open - 1] === '$' && open > at) {
        out += `${piece.slice(at, open - 1)}\${`
        at = open + 2
        continue
      }
      const close = closing(piece, open + 2)
      if (close < 0) return out + fault('opens a reference that never ends; write "$${" for the characters themselves')
      out += piece.slice(at, open) + resolve(piece.slice(open + 2, close), depth)
      at = close + 1
    }
    return out + piece.slice(at)
  }

  function resolve(reference: string, depth: number): string {
    if (reference.startsWith('file:')) return contents(expand(reference.slice('file:'.length), depth + 1))
    const [, name, fallback] = VARIABLE.exec(reference) ?? []
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about the braces
    if (name === undefined) return fault('has a reference that is none of ${VAR}, ${VAR:-default}, ${file:/path}')
    return lookups.variable(name) || expand(fallback ?? '', depth + 1)
  }

  function contents(path: string): string {
    try {
      return lookups.file(path).replace(/(?:\r?\n)+$/, '')
    } catch (error) {
      return fault(`cannot read the file "${path}" (${reason(error)})`)
    }
  }

  function fault(message: string): string {
    faults.push(message)
    return ''
  }
}

/** Index of the `}` that closes a reference whose inside begins at `from`; -1 when there is none. */
function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) depth += text[at - 1] === '$' && at > from ? 0 : 1
    else if (text[at] === '}' && --depth === 0) return at
  }
  return -1
}

/** `ENOENT`, or what the error says. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? (WORDS.get(error.code) ?? error.code) : error.message
}
const WORDS = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
])
