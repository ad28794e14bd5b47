import { RE2JS } from 're2js'
import { MAX_EVENT } from './contract.ts'

/** What makes a line the continuation of the event before it. */
interface MultilineOptions {
  /** RE2 syntax of the lines that begin an event; '': lines that begin with a blank continue one. */
  readonly eventStart: string
  readonly enable: boolean
}

export interface MultilineEvents {
  readonly events: readonly string[]
  /** Lines of the last event, which may go on. */
  readonly openLines: number
}

/** Puts lines together to events, in order. */
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

/** `Caused by:` and a lone bracket stand at the margin of stack traces and printed objects. */
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
    // A key printed over several lines has to be masked in one piece.
    if (line.endsWith('-----')) inKey = line.endsWith(' PRIVATE KEY-----') && !line.includes('-----END ')
  }
  if (event !== '') events.push(event)
  return { events, openLines }
}

const cut = (text: string) => (text.length > MAX_EVENT ? text.slice(0, MAX_EVENT) : text)
