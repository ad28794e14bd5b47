const MASK = '***'
/**
 * Shorter secrets are not masked: they would mask parts of ordinary words. The configuration warns about short ones.
 */
const SHORTEST = 4

const WORDS =
  'authorization|gateway-secret|token|password|passwd|secret|api[_-]?key|routing[_-]?key|access[_-]?key(?:[_-]?id)?|cookie|flow_url|webhook_url'
/** Matches a JSON key that names a credential, and its value. */
const KEYED = new RegExp(String.raw`("[\w-]{0,40}(?:${WORDS})"\s*:\s*")(?:[^"\\]|\\.)*`, 'gi')
/** 15 are the backslashes before a quote in JSON nested four times. The bound keeps matching linear in long runs. */
const BACKSLASHES = String.raw`\\{1,15}`
/** Matches the same in JSON that is a string inside JSON. */
const NESTED = new RegExp(
  String.raw`(${BACKSLASHES}"[\w-]{0,40}(?:${WORDS})${BACKSLASHES}"\s*:\s*${BACKSLASHES}")[^"\\]*`,
  'gi',
)
const PARAMETER = /\b((?:sig|token|key|secret|password|api_key|access_token)=)[^&"'\s\\<>]+/gi
const SCHEME = /\b(Bearer|Basic) [\w.~+/=-]{4,}/g
const USERINFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@\s"\\]+@/gi

type Scrub = (text: string) => string

/**
 * Returns a function that masks the given values (as they are, escaped for JSON, and encoded for an address) and all
 * that looks like a credential.
 */
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
  // Longest first, so that of two secrets with a common beginning the longer one is masked as a whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, JSON.stringify(json).slice(1, -1), encoded, lower, encodeURI(secret.toWellFormed())]
}
