import { RE2JS } from 're2js'
import { MAX_EVENT } from './contract.ts'

/** Rules for joining lines to events. */
interface MultilineOptions {
  /** RE2 syntax of lines that begin an event; '': indented lines continue the event before. */
  readonly eventStart: string
  readonly enable: boolean
}

export interface MultilineEvents {
  readonly events: readonly string[]
  /** Number of lines of the last event, which may continue. */
  readonly openLines: number
}

/** Joins lines to events, in order. */
export type Multiline = (lines: readonly string[]) => MultilineEvents

const MAX_LINES = 500

export function createMultiline({ enable, eventStart }: MultilineOptions): Multiline {
  if (!enable) return (lines) => ({ events: lines.filter((line) => line !== '').map(cut), openLines: 0 })
  const begins = eventStart === '' ? beginsUnindented : startOf(eventStart)
  return (lines) => joinWith(begins, lines)
}

function startOf(source: string): (line: string) => boolean {
  const pattern = RE2JS.compile(source)
  return (line) => pattern.test(line)
}

/**
 * Returns false for indented lines, and for `Caused by:` and closing brackets, which belong to stack traces and printed
 * objects.
 */
function beginsUnindented(line: string): boolean {
  const unit = line.charCodeAt(0)
  if (unit === SPACE || unit === TAB || unit === CLOSING_BRACE || unit === CLOSING_BRACKET) return false
  return !(unit === LETTER_C && line.startsWith('Caused by: '))
}
const SPACE = 32
const TAB = 9
const CLOSING_BRACE = 125
const CLOSING_BRACKET = 93
const LETTER_C = 67

function joinWith(begins: (line: string) => boolean, lines: readonly string[]): MultilineEvents {
  const events: string[] = []
  let event = ''
  let openLines = 0
  let inKey = false
  for (const line of lines) {
    const blank = line === ''
    const goesOn = openLines > 0 && openLines < MAX_LINES && (blank || inKey || !begins(line))
    if (goesOn) {
      if (!blank && event.length < MAX_EVENT) event = cut(`${event}\n${line}`)
      openLines++
    } else if (!blank) {
      if (event !== '') events.push(event)
      event = cut(line)
      openLines = 1
    }
    // Keeps the lines of a private key in one event, because redaction masks it as a whole.
    if (line.endsWith('-----')) inKey = line.endsWith(' PRIVATE KEY-----') && !line.includes('-----END ')
  }
  if (event !== '') events.push(event)
  return { events, openLines }
}

const cut = (text: string) => (text.length > MAX_EVENT ? text.slice(0, MAX_EVENT) : text)
