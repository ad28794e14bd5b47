/** Most words of a title, and most label pairs, that an opening is compared by. */
export const TITLE_WORDS = 16
const LABEL_PAIRS = 8
/** Most hashes of an opening. */
export const WORDS = TITLE_WORDS + LABEL_PAIRS

/** In scripts without spaces each character counts as a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv
/** Places in `camelCase` and `HTTPServer` where a word begins. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu
const DIGIT = /\p{N}/u
/** It says how bad the problem is, not which one. */
const NOT_COMPARED = 'severity'

/**
 * Returns what an opening is compared by, as FNV-1a hashes of 32 bits: the first 16 different words of the title, without
 * those that have digits, then the first 8 label pairs by name. The lowest bit is 1 for a label pair.
 */
export function wordsOf(title: string, labels: { readonly [name: string]: string }): Uint32Array {
  const words = title.replace(HUMP, ' ').toLowerCase().match(WORD) ?? []
  const titleWords = new Set(words.filter((word) => !DIGIT.test(word)))
  const names = Object.keys(labels).filter((name) => name !== NOT_COMPARED)
  return Uint32Array.of(
    ...Array.from(titleWords, (word) => (hashOf(word) & ~1) >>> 0).slice(0, TITLE_WORDS),
    ...names
      .sort()
      .slice(0, LABEL_PAIRS)
      .map((name) => (hashOf(`${name}=${labels[name]}`) | 1) >>> 0),
  )
}

/** Returns the FNV-1a hash of a text by its UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
