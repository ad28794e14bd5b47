import type { TextRules } from '../../domain/message.ts'
import { escapeForChannel, type FallbackText } from './fallback.ts'
import { type Fitted, fit } from './fit.ts'

/**
 * Fits a rendered text with a line at its end, which is never cut. `line`: plain text; undefined: there is none.
 * @param link address or id of the incident, as plain text
 */
export function fitWithLine(text: string, line: string | undefined, rules: TextRules, link: string): Fitted {
  if (line === undefined) return fit(text, rules, link)
  const last = lastLine(line, rules)
  const fitted = fit(text, withRoomFor(last, rules), link)
  return { text: fitted.text + last, cut: fitted.cut }
}

/** Adds the line to a text that was fitted to the rules of `withRoomForLine`. */
export function withLine(fitted: FallbackText, line: string | undefined, rules: TextRules): FallbackText {
  return line === undefined ? fitted : { ...fitted, text: fitted.text + lastLine(line, rules) }
}

/** Returns the rules with a limit that leaves room for the line. */
export function withRoomForLine(line: string | undefined, rules: TextRules): TextRules {
  return line === undefined ? rules : withRoomFor(lastLine(line, rules), rules)
}

const lastLine = (line: string, rules: TextRules) => `${rules.subject ? '' : '\n'}${escapeForChannel(line, rules)}`

/** The bytes of its JSON are at least what a text costs in any unit. */
function withRoomFor(last: string, rules: TextRules): TextRules {
  const { limit } = rules
  return { ...rules, limit: { ...limit, max: Math.max(0, limit.max - Buffer.byteLength(JSON.stringify(last))) } }
}
