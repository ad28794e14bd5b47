import { OpenTags, type Piece, splitAt } from './piece.ts'

const TOKEN =
  /<!--|<(\/?)([a-z][a-z0-9-]*)(?:\s[^<>]*|\/)?>|<![a-z][^<>]*>|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z0-9]{1,30});/gi
/** Elements without an end tag. */
const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])
/** Elements whose content is not HTML. */
const RAW = new Set(['style', 'script', 'title'])

/** Splits the HTML of a mail, unchanged, and tracks the open elements. */
export function splitMailHtml(text: string): Generator<Piece, void> {
  const open = new OpenTags()
  const take = (token: RegExpExecArray, scanner: RegExp) => {
    const name = token[2]?.toLowerCase() ?? ''
    if (token[0] === '<!--') scanner.lastIndex = endAfter(text, '-->', token.index)
    else if (token[1]) open.pop(name)
    else if (RAW.has(name)) scanner.lastIndex = endAfter(text, `</${name}>`, token.index)
    else if (name !== '' && !VOID.has(name)) open.push(name)
    return {}
  }
  return splitAt(TOKEN, text, () => open.closers, take)
}

/** Returns the index after `end`, searched from `from`; the end of the text when it is missing. */
function endAfter(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at === -1 ? text.length : at + end.length
}
