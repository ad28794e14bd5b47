const ENTITY = /&(?:amp|lt|gt|quot|nbsp|#(\d{1,7})|#x([\da-f]{1,6}));/gi
const NAMED = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&nbsp;', ' '],
])

/** Replaces entities by their characters; leaves unknown ones as they are. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string) => {
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    return NAMED.get(entity.toLowerCase()) ?? (isCharacter(code) ? String.fromCodePoint(code) : entity)
  })
}

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}

const TAG = /<(\/?)([a-z][\w:-]*)([^<>]*)>/gi
const HREF = /(?:^|\s)href\s*=\s*["']?([^"'\s>]+)/i
const LINE = /^(?:br|hr)$/i
const BLOCK = /^(?:p|div|tr|li|h[1-6]|table|ul|ol|pre|blockquote)$/i
const CELL = /^t[dh]$/i

/**
 * Returns the text of an HTML document, each link followed by its address, for mail programs that show no HTML. Reads
 * the document once, in linear time: a payload may be a megabyte of blanks or of `<`.
 */
export function textOfHtml(html: string): string {
  const seen = withoutHidden(html)
  let text = ''
  let at = 0
  let link: { readonly href: string; readonly from: number } | undefined
  for (const { 0: tag, 1: slash, 2: name = '', 3: attributes = '', index } of seen.matchAll(TAG)) {
    text += seen.slice(at, index)
    at = index + tag.length
    if (/^a$/i.test(name)) {
      if (slash === '' || link === undefined) {
        const href = HREF.exec(attributes)?.[1]
        link = href === undefined ? undefined : { href, from: text.length }
        continue
      }
      if (!text.slice(link.from).includes(link.href)) text += ` (${link.href})`
      link = undefined
    } else text += breakAt(name, slash === '/')
  }
  return tidy(decodeEntities(text + seen.slice(at)))
}

/** Returns the line break or blank that takes the place of a tag. */
function breakAt(name: string, closes: boolean): string {
  if (LINE.test(name)) return closes ? '' : '\n'
  if (!closes) return ''
  return BLOCK.test(name) ? '\n' : CELL.test(name) ? ' ' : ''
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+\n?/g, (blanks) => (blanks.endsWith('\n') ? '\n' : blanks))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const HIDDEN = /<!--|<(head|style|script)\b/gi

/** Removes comments, `head`, `style` and `script`; leaves one that is never closed. */
function withoutHidden(html: string): string {
  const unclosed = new Set<string>()
  let out = ''
  let at = 0
  for (const { 1: element = '', index } of html.matchAll(HIDDEN)) {
    const name = element.toLowerCase()
    if (index < at || unclosed.has(name)) continue
    const close = element === '' ? /-->/g : new RegExp(`</${name}\\s*>`, 'gi')
    close.lastIndex = index
    if (!close.test(html)) unclosed.add(name)
    else {
      out += html.slice(at, index)
      at = close.lastIndex
    }
  }
  return out + html.slice(at)
}

/** Removes tags and decodes entities; leaves a `<` that opens no tag. */
export function withoutTags(markup: string): string {
  return decodeEntities(markup.replace(TAG, ''))
}
