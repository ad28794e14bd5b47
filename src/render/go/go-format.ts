import { goFloatText } from './format-float.ts'
import { timeText } from './time/time.ts'
import { GoFloat, type GoMap, GoTime, Markup, numberText, RAW, sortedKeys, stringIn } from './values.ts'

/**
 * Maximum length of the text of one value. Needed because nested lists can share their members and so grow
 * exponentially.
 */
export const MAX_TEXT_LENGTH = 8 * 1024 * 1024

/**
 * Returns the text. Throws RangeError when it is longer than `MAX_TEXT_LENGTH`, because a text that is doubled
 * repeatedly exhausts memory.
 */
export function checkedText(text: string): string {
  checkLength(text.length)
  return text
}

export function checkLength(length: number): void {
  if (length > MAX_TEXT_LENGTH) throw new RangeError('a text grew beyond 8 MiB')
}

/** Returns the text of a value: Go's %v, except that null prints nothing. */
export function goText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
      return numberText(value)
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      return objectText(value)
  }
}

function objectText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Markup) return value[RAW]
  if (value instanceof GoFloat) return goFloatText(value[RAW])
  if (value instanceof GoTime) return timeText(value)
  return Array.isArray(value) ? listText(value, goText) : mapText(value as GoMap, goText)
}

type Show = (value: unknown) => string

export function listText(list: readonly unknown[], show: Show): string {
  let text = '['
  for (let at = 0; at < list.length; at++) {
    text += at === 0 ? show(list[at]) : ` ${show(list[at])}`
    if (text.length > MAX_TEXT_LENGTH) throw new RangeError('a list prints more than 8 MiB')
  }
  return `${text}]`
}

export function mapText(map: GoMap, show: Show): string {
  let text = 'map['
  for (const key of sortedKeys(map)) {
    text += `${text.length === 4 ? '' : ' '}${show(key)}:${show(map[key])}`
    if (text.length > MAX_TEXT_LENGTH) throw new RangeError('a map prints more than 8 MiB')
  }
  return `${text}]`
}

/** Equals Go's Sprintln: spaces between all operands, a line break at the end. */
export function sprintln(values: readonly unknown[]): string {
  let text = ''
  for (const [at, value] of values.entries()) text = checkedText(text + (at === 0 ? '' : ' ') + goText(value))
  return `${text}\n`
}

/** Equals Go's Sprint: a space between two operands when neither is a string. */
export function sprint(values: readonly unknown[]): string {
  if (values.length === 1) return goText(values[0])
  let text = ''
  values.forEach((value, at) => {
    const spaced = at > 0 && stringIn(value) === undefined && stringIn(values[at - 1]) === undefined
    text = checkedText(text + (spaced ? ' ' : '') + goText(value))
  })
  return text
}
