const ENTITY = /&(?:amp|lt|gt|quot|nbsp|#(\d{1,7})|#x([\da-f]{1,6}));/gi
const NAMED = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&nbsp;', ' '],
])

/** The characters that entities stand for; what is no entity stays. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string) => {
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    return NAMED.get(entity.toLowerCase()) ?? (isCharacter(code) ? String.fromCodePoint(code) : entity)
  })
}

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}

const INVISIBLE = /<!--[\s\S]*?-->|<(head|style|script)\b[\s\S]*?<\/\1\s*>/gi
const LINK = /<a\b[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)["']?[^>]*>([\s\S]*?)<\/a\s*>/gi
const LINE_END = /<(?:br|hr)\b[^>]*>|<\/(?:p|div|tr|li|h[1-6]|table|ul|ol|pre|blockquote)\s*>/gi
const CELL_END = /<\/t[dh]\s*>/gi
const TAG = /<\/?[a-z][^<>]*>/gi

/** What a reader of an HTML document would read, a link followed by its address; for mail programs that show no HTML. */
export function textOfHtml(html: string): string {
  const text = html
    .replace(INVISIBLE, '')
    .replace(LINK, (_link, href: string, label: string) => (label.includes(href) ? label : `${label} (${href})`))
    .replace(CELL_END, ' ')
    .replace(LINE_END, '\n')
    .replace(TAG, '')
  return decodeEntities(text)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Markup with its tags taken out and its entities decoded; a `<` that opens no tag stays. */
export function withoutTags(markup: string): string {
  return decodeEntities(markup.replace(TAG, ''))
}
