const MASK = '***'
/** Shorter secrets would blank out ordinary words; the loader warns about a short gateway secret. */
const SHORTEST = 4

const WORDS =
  'authorization|gateway-secret|token|password|passwd|secret|api[_-]?key|routing[_-]?key|access[_-]?key(?:[_-]?id)?|cookie|flow_url|webhook_url'
/** A JSON key that names a credential, and its text. */
const KEYED = new RegExp(String.raw`("[\w-]{0,40}(?:${WORDS})"\s*:\s*")(?:[^"\\]|\\.)*`, 'gi')
/** As many as stand before a quote in JSON within JSON four times over: a run without end would be looked at from each of its places. */
const BACKSLASHES = String.raw`\\{1,15}`
/** The same inside JSON that is itself the text of a JSON string. */
const NESTED = new RegExp(
  String.raw`(${BACKSLASHES}"[\w-]{0,40}(?:${WORDS})${BACKSLASHES}"\s*:\s*${BACKSLASHES}")[^"\\]*`,
  'gi',
)
const PARAMETER = /\b((?:sig|token|key|secret|password|api_key|access_token)=)[^&"'\s\\<>]+/gi
const SCHEME = /\b(Bearer|Basic) [\w.~+/=-]{4,}/g
const USERINFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@\s"\\]+@/gi

/** Takes secrets out of a text. */
type Scrub = (text: string) => string

/** A scrubber of the given values (as they are, as JSON writes them, and encoded for an address) and of everything that looks like a credential. */
export function scrubber(secrets: readonly string[]): Scrub {
  const known = valuesPattern(secrets)
  return (text) => {
    const hidden = known === undefined ? text : text.replace(known, MASK)
    return hidden
      .replace(KEYED, `$1${MASK}`)
      .replace(NESTED, `$1${MASK}`)
      .replace(PARAMETER, `$1${MASK}`)
      .replace(SCHEME, `$1 ${MASK}`)
      .replace(USERINFO, `$1${MASK}@`)
  }
}

function valuesPattern(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))
  if (forms.size === 0) return undefined
  // Longest first: of two secrets where one begins the other, the whole longer one goes.
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, JSON.stringify(json).slice(1, -1), encoded, lower, encodeURI(secret.toWellFormed())]
}
