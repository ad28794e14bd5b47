/** Scripts that are written without spaces: every character stands for itself. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv
const ASCII_WORD = /[a-z0-9]+/g
const ONLY_ASCII = /^[\0-\x7f]*$/

/** The words of a text in lower case, without accents and in order; what is neither letter nor digit only separates. */
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
