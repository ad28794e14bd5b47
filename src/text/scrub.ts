import { oneLine } from './one-line.ts'

const MAX_LENGTH = 300
const REDACTED = '[redacted]'

/**
 * Returns foreign text for logs, the ledger and answers: one line of at most 300 characters, secrets replaced in each
 * encoding in which an answer may repeat them.
 */
export function scrub(text: string, secrets: readonly string[]): string {
  const clean = spellings(secrets).reduce((scrubbed, secret) => scrubbed.replaceAll(secret, REDACTED), text)
  const line = oneLine(clean)
  return line.length <= MAX_LENGTH
    ? line
    : `${line
        .slice(0, MAX_LENGTH - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}

/** Longest first: replacing a shorter secret must not leave a part of a longer one. */
function spellings(secrets: readonly string[]): string[] {
  const all = secrets.filter((secret) => secret !== '').flatMap(spellingsOf)
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll('&', '&amp;')
  return [secret, encodeURIComponent(secret), json, json.replaceAll('/', '\\/'), html]
}

/** Returns the secrets of an address that is itself one: all of it, its path and the values of its query. */
export function secretsOfUrl(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { href, pathname, search, searchParams } = new URL(address)
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  return [address, href, ...[pathname, ...raw, ...searchParams.values()].filter((part) => part.length >= SHORTEST_PART)]
}
/** Shorter parts (`/`, `1.0`, `manual`) are common words and no secrets. */
const SHORTEST_PART = 8
