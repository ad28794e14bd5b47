const MAX_LENGTH = 300
const REDACTED = '[redacted]'

/**
 * What others said, made fit to leave: secrets replaced in every spelling an answer could repeat them in, on one line, at most 300
 * characters. Everything of a provider that reaches a log, the ledger or an answer passes through it.
 */
export function scrub(text: string, secrets: readonly string[]): string {
  const clean = spellings(secrets).reduce((said, secret) => said.replaceAll(secret, REDACTED), text)
  const line = clean.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length <= MAX_LENGTH
    ? line
    : `${line
        .slice(0, MAX_LENGTH - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}

/** Longest first, so that no part of a secret outlives the replacement of a shorter one. */
function spellings(secrets: readonly string[]): string[] {
  const all = secrets.filter((secret) => secret !== '').flatMap(spellingsOf)
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll('&', '&amp;')
  return [secret, encodeURIComponent(secret), json, json.replaceAll('/', '\\/'), html]
}

/** What of an address is secret when the address itself is one: all of it, its path and the values of its query. */
export function secretsOfUrl(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { href, pathname, search, searchParams } = new URL(address)
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  return [address, href, ...[pathname, ...raw, ...searchParams.values()].filter((part) => part.length >= SHORTEST_PART)]
}
/** Shorter parts (`/`, `1.0`, `manual`) are common words that give nothing away. */
const SHORTEST_PART = 8
