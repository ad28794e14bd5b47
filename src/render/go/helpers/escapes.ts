import { isPrintable } from '../go-quote.ts'

const JS: { readonly [character: string]: string } = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
}

/** Equals Go's template.JSEscapeString. */
export function escapeJs(text: string): string {
  return text.toWellFormed().replace(/[\\'"<>&=\0-\x1f]|[^\x20-\x7e]/gu, (character) => {
    const known = JS[character]
    if (known !== undefined) return known
    const point = character.codePointAt(0) ?? 0
    if (point >= 0x80 && isPrintable(character)) return character
    return `\\u${point.toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** Equals Go's url.QueryEscape. */
export function escapeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
