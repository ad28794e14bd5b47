/** Elements of a Go time layout, in the order they are tried; other text is literal. */
const ELEMENTS = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '002',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '2006',
  '15',
  '__2',
  '_2',
  '-07:00:00',
  '-07:00',
  '-070000',
  '-0700',
  '-07',
  'Z07:00:00',
  'Z07:00',
  'Z070000',
  'Z0700',
  'Z07',
  'PM',
  'pm',
  '1',
  '2',
  '3',
  '4',
  '5',
] as const
export type LayoutElement = (typeof ELEMENTS)[number]

export type LayoutPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'element'; readonly element: LayoutElement }
  /** Fraction of a second: `.000` or `,999`. `trim`: trailing zeros are dropped. */
  | { readonly kind: 'fraction'; readonly mark: string; readonly digits: number; readonly trim: boolean }

const cache = new Map<string, readonly LayoutPart[]>()
const MAX_CACHED = 200
const MAX_CACHED_LENGTH = 100

/** Splits a layout as Go's time package does. Results of recent layouts are cached. */
export function layoutParts(layout: string): readonly LayoutPart[] {
  const known = cache.get(layout)
  if (known) return known
  const parts = cut(layout)
  if (layout.length > MAX_CACHED_LENGTH) return parts
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(layout, parts)
  return parts
}

function cut(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = []
  let text = ''
  let at = 0
  while (at < layout.length) {
    const part = partAt(layout, at)
    if (!part) {
      text += layout[at++]
      continue
    }
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push(part.part)
    at += part.length
  }
  if (text !== '') parts.push({ kind: 'text', text })
  return parts
}

const FRACTION = /[.,](0+|9+)(?!\d)/y

function partAt(layout: string, at: number): { part: LayoutPart; length: number } | undefined {
  FRACTION.lastIndex = at
  const fraction = FRACTION.exec(layout)
  if (fraction) {
    const digits = fraction[1] ?? ''
    const part: LayoutPart = {
      kind: 'fraction',
      mark: layout[at] ?? '.',
      digits: digits.length,
      trim: digits[0] === '9',
    }
    return { part, length: fraction[0].length }
  }
  if (layout.startsWith('_2006', at)) return { part: { kind: 'text', text: '_' }, length: 1 }
  const element = ELEMENTS.find((candidate) => layout.startsWith(candidate, at) && !isWithinWord(layout, at, candidate))
  return element && { part: { kind: 'element', element }, length: element.length }
}

/** Returns whether `Jan` or `Mon` is the start of a longer word such as `Month`, which is literal text. */
function isWithinWord(layout: string, at: number, element: string): boolean {
  return (element === 'Jan' || element === 'Mon') && /[a-z]/.test(layout[at + 3] ?? '')
}
