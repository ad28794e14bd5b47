import { charClassOf, isDigit, isHex, isUpper, LETTER, MARK } from './char-classes.ts'

const DASH = 45
const DOT = 46
const SLASH = 47
const COLON = 58
const AT = 64
const BACKSLASH = 92

/**
 * Returns the end of a value that continues after the colon at `end`; 0 when there is none. Recognises
 * `http://host/path`, `C:\path`, `host.name.tld:80`, `fe80::1` and `00:1b:44:11:3a:b7`.
 */
export function valueEndAtColon(text: string, start: number, end: number): number {
  const after = text.charCodeAt(end + 1)
  if (after === SLASH && text.charCodeAt(end + 2) === SLASH) return delimiterAfter(text, end)
  if (end - start === 1 && (after === BACKSLASH || after === SLASH)) return delimiterAfter(text, end)
  if (end - start <= 4) return isClock(text, end) ? 0 : colonAddress(text, start)
  return isDigit(after) && isHostName(text, start, end, 2) ? end : 0
}

/** Returns the index of the next blank, quote, closing bracket, comma, semicolon or bar. */
export function delimiterAfter(text: string, at: number): number {
  let end = at
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end)
    if (unit <= 32 || DELIMITERS.includes(unit)) break
  }
  return end
}
const DELIMITERS = Array.from('"\'`,;)]}<>|', (character) => character.charCodeAt(0))

/** Tells mail addresses such as `user@host.tld` and `user@host` from object names such as `Class@1f2e`. */
export function isMailbox(text: string, start: number, end: number): boolean {
  let at = -1
  let dots = 0
  let upper = false
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit === AT) at = i
    else if (unit === DOT) dots++
    else if (isUpper(unit)) upper = true
  }
  return at > start && at < end - 1 && (dots > 0 || !upper)
}

const TOP_LABELS = new Set('com net org edu gov mil info local localdomain internal lan'.split(' '))
const MAX_TOP_LABEL = Math.max(...Array.from(TOP_LABELS, ({ length }) => length))
const SECOND_LABELS = new Set([...TOP_LABELS, 'co', 'ac'])

/**
 * Tells host names such as `www.example.com`, `mail.example.co.uk` and `dsl-17.example.nl` from names of modules, by
 * their last labels.
 * @param digits the name holds digits
 */
export function isHost(text: string, start: number, end: number, digits: boolean): boolean {
  let dot = end - 1
  while (text.charCodeAt(dot) !== DOT && end - dot <= MAX_TOP_LABEL + 1) dot--
  const length = end - dot - 1
  if (length < 2 || length > MAX_TOP_LABEL || !isHostName(text, start, end, 1)) return false
  if (TOP_LABELS.has(text.slice(dot + 1, end))) return true
  const before = text.lastIndexOf('.', dot - 1)
  if (length !== 2 || before < start) return false
  return digits || SECOND_LABELS.has(text.slice(before + 1, dot))
}

/**
 * Tells texts of lower-case letters, digits and dashes with at least `dots` dots. The first label may be in capitals, as
 * in `DB2.corp.local`.
 */
function isHostName(text: string, start: number, end: number, dots: number): boolean {
  let found = 0
  let upper = false
  let lower = false
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit === DOT) found++
    else if (isUpper(unit)) {
      upper = true
      if (found > 0) return false
    } else if (charClassOf(unit) === MARK) {
      if (unit !== DASH) return false
    } else if (found === 0 && charClassOf(unit) === LETTER) lower = true
  }
  return found >= dots && !(upper && lower)
}

/** Tells the rest of a clock after the colon at `at`: `:40` or `:40:17`, after which no address goes on. */
function isClock(text: string, at: number): boolean {
  if (!isDigit(text.charCodeAt(at + 1)) || !isDigit(text.charCodeAt(at + 2))) return false
  const next = text.charCodeAt(at + 3)
  if (next !== COLON) return !isHex(next)
  if (!isDigit(text.charCodeAt(at + 4)) || !isDigit(text.charCodeAt(at + 5))) return false
  const last = text.charCodeAt(at + 6)
  return last !== COLON && !isHex(last)
}

const MAX_ADDRESS_LENGTH = 45

/** Returns the end of an IPv6 or MAC address that begins at `start`; 0 when there is none. */
function colonAddress(text: string, start: number): number {
  const last = start + MAX_ADDRESS_LENGTH
  let groups = 1
  let empty = 0
  let pairs = 0
  let length = 0
  let digits = 0
  let end = start
  for (; end <= last; end++) {
    const unit = text.charCodeAt(end)
    if (unit === COLON) {
      groups++
      if (length === 0) empty++
      if (length === 2) pairs++
      length = 0
    } else if (isHex(unit)) {
      if (isDigit(unit)) digits++
      if (++length > 4) return 0
    } else break
  }
  if (groups < 3 || end > last || charClassOf(text.charCodeAt(end)) === LETTER) return 0
  if (length === 0) empty++
  if (length === 2) pairs++
  const hardware = groups === 6 && pairs === 6
  const compressed = empty > 0 && empty < groups && groups <= 9
  return hardware || (digits > 0 && (compressed || groups === 8)) ? end : 0
}
