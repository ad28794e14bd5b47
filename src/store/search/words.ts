/** Words by Unicode. In scripts without spaces each character counts as a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv
const ASCII_WORD = /[a-z0-9]+/g
const ONLY_ASCII = /^[\0-\x7f]*$/

/**
 * Returns the words of a text in order, in lower case and without accents. Everything but letters and digits separates
 * words.
 */
export function wordsOf(text: string): string[] {
  if (ONLY_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? []
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(WORD) ?? []
  )
}
