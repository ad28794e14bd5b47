/** Looks up the values of `${VAR}` and `${file:/path}`. */
export interface Lookups {
  variable(name: string): string | undefined
  /** Returns the text of a file, or throws. */
  file(path: string): string
}

interface Substituted {
  readonly text: string
  /** The text was one reference without anything around it. */
  readonly whole: boolean
  readonly issues: readonly string[]
}

const VARIABLE = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/
const DEEPEST = 32

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${file:/path}`. Defaults and paths may hold references themselves, values
 * are not looked at again. `$${` becomes `${`. Returns undefined when the text holds neither.
 */
export function substitute(source: string, lookups: Lookups): Substituted | undefined {
  if (!source.includes('${')) return undefined
  const issues: string[] = []
  const text = expand(source, 0)
  const whole = source.startsWith('${') && closing(source, 2) === source.length - 1
  return { text, whole, issues }

  function expand(piece: string, depth: number): string {
    if (depth > DEEPEST) return report('nests references too deep')
    let out = ''
    let at = 0
    for (let open = piece.indexOf('${'); open >= 0; open = piece.indexOf('${', at)) {
      if (piece[open - 1] === '$' && open > at) {
        out += `${piece.slice(at, open - 1)}\${`
        at = open + 2
        continue
      }
      const close = closing(piece, open + 2)
      if (close < 0) return out + report('opens a reference that never ends; write "$${" for the characters themselves')
      out += piece.slice(at, open) + resolve(piece.slice(open + 2, close), depth)
      at = close + 1
    }
    return out + piece.slice(at)
  }

  function resolve(reference: string, depth: number): string {
    if (reference.startsWith('file:')) return contents(expand(reference.slice('file:'.length), depth + 1))
    const [, name, fallback] = VARIABLE.exec(reference) ?? []
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about the braces
    if (name === undefined) return report('has a reference that is none of ${VAR}, ${VAR:-default}, ${file:/path}')
    return lookups.variable(name) || expand(fallback ?? '', depth + 1)
  }

  function contents(path: string): string {
    try {
      return lookups.file(path).replace(/(?:\r?\n)+$/, '')
    } catch (error) {
      return report(`cannot read the file "${path}" (${reason(error)})`)
    }
  }

  function report(message: string): string {
    issues.push(message)
    return ''
  }
}

/** Returns the index of the `}` that closes a reference whose inside begins at `from`; -1 when there is none. */
function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) depth += text[at - 1] === '$' && at > from ? 0 : 1
    else if (text[at] === '}' && --depth === 0) return at
  }
  return -1
}

/** Returns a text for common codes of the file system, else the code or the message of the error. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? (WORDS.get(error.code) ?? error.code) : error.message
}
const WORDS = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
])
