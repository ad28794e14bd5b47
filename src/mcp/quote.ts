import { isObject } from '../text/json-object.ts'

/** Characters that are not seen, or that change how others are seen: control, bidirectional, zero-width, tags, variants. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu
const BLANKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
/** Addresses in each spelling that a browser takes, and names that clients make links of. */
const ADDRESS =
  /(?:\bhttps?:(?=\S)|\b[a-z][a-z0-9+.-]{1,30}:[\\/]+|(?<![\\/:\w])[\\/]{2}(?=[^\\/\s]+\.)|\bwww\.)[^\s"'<>`|()[\]{}]*/giu

/** Longest quoted text, and the longest of a payload, in UTF-16 units. */
const MAX_TEXT = 500
const MAX_JSON = 4_000

/** Values of the service itself, as long as they have the shape of a word, a number or a time. */
const OWN =
  /^(?:id|at|state|level|phase|status|source|sender|stage|verdict|origin|channel|via|action|result|opening|incident|since|until|from|to|mode|next_cursor|capabilities|ended_by|provider|(?:\w+_)?(?:at|id|status|state|cursor))$/
const WORD = /^[\w.:+-]{1,80}$/
/** Objects whose keys are words of others. */
const OF_OTHERS: ReadonlySet<string> = new Set(['content', 'match', 'while', 'topic', 'attributes', 'labels'])

interface QuoteDeps {
  /** Masks credentials. */
  redact(text: string): string
  /** Returns whether addresses of the host may stay. */
  isAllowed(host: string): boolean
}

/** Opens what makes the words of others safe to show to a model. */
export function openQuote({ redact, isAllowed }: QuoteDeps) {
  function link(address: string): string {
    const written = address.startsWith('www.') ? `http://${address}` : address.replace(/^[\\/]{2}/, 'http://')
    if (!URL.canParse(written)) return '[link]'
    const { href, host, hostname, username, password } = new URL(written)
    return isAllowed(hostname) && /^https?:/.test(href) && username + password === '' ? href : `[link: ${host}]`
  }

  function text(given: string, max = MAX_TEXT): string {
    const seen = given
      .slice(0, max * 2)
      .replace(BLANKS, ' ')
      .replace(UNSEEN, '')
    const clean = redact(seen.replace(ADDRESS, link))
    return clean.length > max || given.length > max * 2
      ? `${clean.slice(0, max - 1)}…`.toWellFormed()
      : clean.toWellFormed()
  }

  function pair(key: string, value: unknown): readonly [string, unknown] {
    if (isObject(value) && OF_OTHERS.has(key)) return [`${key}_quoted`, text(JSON.stringify(value), MAX_JSON)]
    if (typeof value === 'string')
      return OWN.test(key) && WORD.test(value) ? [key, value] : [`${key}_quoted`, text(value)]
    if (Array.isArray(value) && value.some((each) => typeof each === 'string'))
      return [`${key}_quoted`, value.map((each) => text(String(each)))]
    return [key, of(value)]
  }

  /** Returns a value of the admin API: texts of others under keys that end in `_quoted`. */
  function of(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(of)
    if (typeof value === 'string') return text(value)
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
    return Object.fromEntries(entries.map(([key, each]) => pair(key, each)))
  }

  return { of, text }
}

export type Quote = ReturnType<typeof openQuote>
