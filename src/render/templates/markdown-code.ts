import type { Node } from './handlebars-internals.ts'

/** Names of the helpers that print a value, by where it stands in Markdown. */
interface PrintHelpers {
  readonly text: string
  /** Between backticks in a line. */
  readonly span: string
  /** Between two fences. */
  readonly fence: string
}

/** Places in a text; `to` is exclusive. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Stand for what a template does not say itself: a value, and a loop or condition, which may end a line. */
const VALUE = '\0'
const BLOCK = '\x01'

/**
 * Makes values inside code of a Markdown template print by their own helpers. Only the template's own text counts, and both
 * ends of the code have to stand in one body: between them may be loops and conditions. Takes linear time.
 */
export function markCode(program: Node, helpers: PrintHelpers): void {
  const nodes = program.body ?? []
  const text = nodes.map(textOf).join('')
  const isInFence = openLookup(fencesIn(text))
  const isInSpan = openLookup(spansIn(text))
  let at = 0
  for (const node of nodes) {
    if (node.type === 'ContentStatement') at += textOf(node).length
    else {
      if (isInFence(at)) printBy(node, helpers, helpers.fence)
      else if (isInSpan(at)) printBy(node, helpers, helpers.span)
      else for (const body of [node.program, node.inverse]) if (body) markCode(body, helpers)
      at++
    }
  }
}

/** Opens a look-up in ascending ranges, for ascending places. */
function openLookup(ranges: readonly Range[]): (at: number) => boolean {
  let next = 0
  return (at) => {
    while ((ranges[next]?.to ?? Number.POSITIVE_INFINITY) <= at) next++
    return (ranges[next]?.from ?? Number.POSITIVE_INFINITY) <= at
  }
}

function textOf(node: Node): string {
  if (node.type === 'ContentStatement') return String(node.value)
  return node.type === 'BlockStatement' ? BLOCK : VALUE
}

const OPENING = /^(`{3,})[^`\0\x01]*$/
const CLOSING = /^\x01?(`{3,})[ \t]*$/

/** Returns the lines between fences that begin a line and are closed. */
function fencesIn(text: string): Range[] {
  const found: Range[] = []
  let opening: { readonly ticks: number; readonly from: number } | undefined
  let at = 0
  for (const line of text.split('\n')) {
    const end = at + line.length + 1
    if (opening === undefined) {
      const ticks = OPENING.exec(line)?.[1]?.length
      if (ticks !== undefined) opening = { ticks, from: end }
    } else if ((CLOSING.exec(line)?.[1]?.length ?? 0) >= opening.ticks) {
      found.push({ from: opening.from, to: at + (line.startsWith(BLOCK) ? 1 : 0) })
      opening = undefined
    }
    at = end
  }
  return found
}

const TICKS = /(?<!\\)`+/g

/** Returns the text between two equal runs of backticks in one line. */
function spansIn(text: string): Range[] {
  const found: Range[] = []
  let at = 0
  for (const line of text.split('\n')) {
    const open = new Map<number, number>()
    for (const { index, 0: ticks } of line.matchAll(TICKS)) {
      const from = open.get(ticks.length)
      if (from === undefined) open.set(ticks.length, index + ticks.length)
      else {
        found.push({ from: at + from, to: at + index })
        open.clear()
      }
    }
    at += line.length + 1
  }
  return found
}

/** Makes all values of a node print by the helper. */
function printBy(node: Node, helpers: PrintHelpers, helper: string): void {
  const parts = node.path?.parts
  if (node.type === 'MustacheStatement' && parts?.[0] === helpers.text) parts[0] = helper
  for (const body of [node.program, node.inverse]) for (const inner of body?.body ?? []) printBy(inner, helpers, helper)
}
