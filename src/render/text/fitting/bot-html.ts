import { OpenTags, type Piece, splitAt } from './piece.ts'

/** Tags that bots of the messaging app may send; `a` and `span` also need an attribute. */
const ALLOWED = new Set('b strong i em u ins s strike del code pre a blockquote tg-spoiler span'.split(' '))
const TOKEN = /<(\/?)([a-z][a-z0-9-]*)(\s[^<>]*|\/)?>|&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,10}));|[<>&]/gi
const NAMED = new Set(['lt', 'gt', 'amp', 'quot'])
const REPLACED: { readonly [name: string]: string } = { apos: "'", nbsp: '\u00a0' }
const ESCAPES: { readonly [character: string]: string } = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/**
 * Splits and corrects text for a parser that refuses a message with any invalid markup: allowed tags are kept and
 * nested properly, all other markup characters are escaped.
 */
export function splitBotHtml(text: string): Generator<Piece, void> {
  const open = new OpenTags()
  const take = (token: RegExpExecArray, scanner: RegExp): Output => {
    const kept = token[2] === undefined ? entity(token) : tag(token, open)
    // Only the first character of a token that is not allowed is escaped; the rest is scanned again.
    if (kept === undefined) scanner.lastIndex = token.index + 1
    return kept ?? { text: ESCAPES[token[0].charAt(0)] ?? '', visible: 1 }
  }
  return splitAt(TOKEN, text, () => open.closers, take)
}

type Output = Pick<Piece, 'text' | 'visible'>

function entity([whole, , , , decimal, hex, name]: RegExpExecArray): Output | undefined {
  if (name !== undefined) {
    if (NAMED.has(name)) return { text: whole, visible: 1 }
    const replaced = Object.hasOwn(REPLACED, name) ? REPLACED[name] : undefined
    return replaced === undefined ? undefined : { text: replaced, visible: 1 }
  }
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16)
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? { text: whole, visible: code > 0xffff ? 2 : 1 } : undefined
}

function tag([, slash, written = '', attributes = '']: RegExpExecArray, open: OpenTags): Output | undefined {
  const name = written.toLowerCase()
  if (!ALLOWED.has(name)) return undefined
  if (slash) {
    const closing = open.pop(name)
    return closing === undefined ? undefined : { text: closing, visible: 0 }
  }
  const kept = attributesOf(name, attributes)
  if (kept === undefined) return undefined
  open.push(name)
  return { text: `<${name}${kept}>`, visible: 0 }
}

const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i
const ADDRESS = /^(?:https?:\/\/|tg:|mailto:|tel:)/i
const BARE_AMPERSAND = /&(?!(?:lt|gt|amp|quot|#\d+|#x[\da-f]+);)/gi

/** Returns the attributes to keep; undefined when the tag is not allowed without a valid one. */
function attributesOf(name: string, attributes: string): string | undefined {
  switch (name) {
    case 'a': {
      const [, double, single] = HREF.exec(attributes) ?? []
      const href = (double ?? single ?? '').trim()
      if (!ADDRESS.test(href)) return undefined
      return ` href="${href.replace(BARE_AMPERSAND, '&amp;').replaceAll('"', '&quot;')}"`
    }
    case 'span':
      return /\sclass\s*=\s*["']tg-spoiler["']/i.test(attributes) ? ' class="tg-spoiler"' : undefined
    case 'blockquote':
      return /\sexpandable\b/i.test(attributes) ? ' expandable' : ''
    case 'code': {
      const language = /\sclass\s*=\s*["'](language-[\w+#-]{1,30})["']/i.exec(attributes)?.[1]
      return language === undefined ? '' : ` class="${language}"`
    }
    default:
      return ''
  }
}
