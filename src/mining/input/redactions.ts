import { isIPv6 } from 'node:net'
import { RE2JS } from 're2js'
import type { PrepareOptions } from '../options.ts'

/** One kind of secret, with the pattern that finds it. */
interface Redaction {
  /** Cheap test that fails when the pattern cannot match. */
  readonly hint: { test(text: string): boolean }
  readonly pattern: RegExp
  readonly replace: string | ((...match: string[]) => string)
}

export const mask = (kind: string) => `<REDACTED:${kind}>`

const QUOTED = String.raw`"(?:[^"\\]|\\.){0,1024}"?|'[^']{0,1024}'?|\\{1,4}["'][^"'\\]{0,1024}(?:\\{1,4}["'])?`
const BARE = String.raw`(?:(?:bearer|basic|token|digest|negotiate) {1,3})?[^\s,;&"'\\<>(){}[\]]{1,1024}`
const VALUE = `(?:${QUOTED}|${BARE})`
/** Text between the name of a credential and its value: closing quote and separator. */
const ASSIGNED = String.raw`\\{0,4}["']?\]?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}`
const SUFFIX = String.raw`(?:[_-]?(?:hash|value|text|key|id))?\d{0,3}`
const PASSWORD =
  '(?:passw(?:or)?d|passphrase|passcode|pwd|(?<![a-z])pass(?![a-z])|secret|credentials?|authorization|' +
  '(?:api|access|private|auth|secret|account|signing|encryption|shared|subscription|license)[-_ ]?key)'
const TOKEN = '(?:token|cookie|session[-_]?id|jsessionid|phpsessid|csrf|nonce|otp)'
const KEY_FORMATS = [
  'A(?:KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{12,}',
  'gh[opsur]_\\w{20,}',
  'github_pat_\\w{20,}',
  'xox[abeoprs]-[\\w-]{10,}',
  'xapp-[\\w-]{10,}',
  '[spr]k_(?:live|test)_\\w{10,}',
  'sk-[\\w-]{16,}',
  'AIza[\\w-]{30,}',
  'ya29\\.[\\w-]{20,}',
  'glpat-[\\w-]{16,}',
  'npm_\\w{20,}',
  'hf_\\w{20,}',
  'pypi-[\\w-]{16,}',
  'shp(?:at|ca|pa|ss)_\\w{16,}',
  'dop_v1_\\w{16,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  '\\d{8,10}:[\\w-]{35}',
]

/**
 * Redactions in the order they run: patterns with a name before the value come before patterns that only match a
 * value's format. No pattern backtracks over more than a fixed number of characters, so the time is linear in the
 * length of the text.
 */
const REDACTIONS: readonly Redaction[] = [
  {
    hint: /-----BEGIN/,
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    replace: mask('private-key'),
  },
  { hint: /:\/\//, pattern: /(?<=:\/\/)[^\s/?#@"'<>]{1,256}@/g, replace: `${mask('userinfo')}@` },
  {
    hint: /hooks\.slack\.com|\/api\/webhooks\//i,
    pattern: /(?<=hooks\.slack\.com\/|\/api\/webhooks\/)[^\s"'<>]{1,256}/gi,
    replace: mask('webhook'),
  },
  { hint: /eyJ/, pattern: /(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){1,4}/g, replace: mask('jwt') },
  {
    hint: /pass|pwd|secret|credential|authorization|key/i,
    pattern: new RegExp(`(${PASSWORD}${SUFFIX}${ASSIGNED})${VALUE}`, 'gi'),
    replace: `$1${mask('secret')}`,
  },
  {
    hint: /token|cookie|session|sessid|csrf|nonce|otp/i,
    pattern: new RegExp(`(${TOKEN}${SUFFIX}${ASSIGNED})(${VALUE})`, 'gi'),
    replace: (whole, name = '', value = '') => (looksGenerated(value) ? `${name}${mask('token')}` : whole),
  },
  {
    hint: /--(?:p|s|t|api)/i,
    pattern: /(?<![\w-])(--(?:password|passwd|secret|token|api-?key)) +[^\s-]\S{0,256}/gi,
    replace: `$1 ${mask('secret')}`,
  },
  {
    hint: /[?&](?:sig|code|key|auth|x-)/i,
    pattern: /(?<=[?&](?:sig|signature|code|key|auth|x-amz-signature|x-goog-signature)=)[^&\s"'<>]{1,512}/gi,
    replace: mask('parameter'),
  },
  {
    hint: /bearer|basic/i,
    pattern: /\b(bearer|basic) {1,3}([\w.~+/=:-]{8,})/gi,
    replace: (whole, scheme = '', value = '') => (looksGenerated(value) ? `${scheme} ${mask('token')}` : whole),
  },
  {
    hint: /A(?:KIA|SIA|GPA|IDA|ROA|Iza)|gh[opsur]_|_pat_|x(?:ox|app)|[spr]k[_-]|ya29|glpat|npm_|hf_|pypi|shp|dop_|SG\.|\d:[\w-]{35}/,
    pattern: new RegExp(`(?<![A-Za-z0-9])(?:${KEY_FORMATS.join('|')})`, 'g'),
    replace: mask('key'),
  },
  {
    hint: /@/,
    pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi,
    replace: mask('email'),
  },
  {
    hint: { test: hasLongRun },
    pattern: /[\w+/=-]{32,}/g,
    replace: (whole) => (looksRandom(whole) ? mask('opaque') : whole),
  },
]

/** Masks of IP addresses, used with `redactIps`. */
const ADDRESSES: readonly Redaction[] = [
  { hint: /\d\.\d/, pattern: /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]\d)/g, replace: mask('ip') },
  {
    hint: /:[^:]{0,4}:/,
    pattern: /(?<![\w:.])[\da-f:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?/gi,
    replace: (whole) => (isIPv6(whole) ? mask('ip') : whole),
  },
]

/** Tells generated values from words of prose: long, or with digits, mixed case or base64 characters. */
function looksGenerated(value: string): boolean {
  return value.length >= 24 || /\d/.test(value) || /[a-z][A-Z]|[+/=]/.test(value)
}

const RUN_LENGTH = 32
const IN_RUN = Array.from({ length: 128 }, (_, unit) => /[\w+/=-]/.test(String.fromCharCode(unit)))

/**
 * Returns whether 32 characters of `[\w+/=-]` occur in a row. Tests every 32nd character and, if it matches, those
 * before it.
 */
function hasLongRun(text: string): boolean {
  for (let start = 0; start + RUN_LENGTH <= text.length; ) {
    let at = start + RUN_LENGTH - 1
    while (at >= start && IN_RUN[text.charCodeAt(at)]) at--
    if (at < start) return true
    start = at + 1
  }
  return false
}

const SLASH = 47

/**
 * Tells random values from other long runs: identifiers of programs have few digits, hashes and UUIDs one case, paths
 * many slashes.
 */
function looksRandom(run: string): boolean {
  let digits = 0
  let slashes = 0
  let upper = 0
  let lower = 0
  for (let at = 0; at < run.length; at++) {
    const unit = run.charCodeAt(at)
    if (unit >= 48 && unit <= 57) digits++
    else if (unit >= 65 && unit <= 90) upper++
    else if (unit >= 97 && unit <= 122) lower++
    else if (unit === SLASH) slashes++
  }
  return digits >= 4 && upper >= 4 && lower >= 4 && slashes * 12 <= run.length
}

/** Masks credentials and personal data in a text. Runs before any other code sees the text. */
type Redact = (text: string) => string

export function createRedact({ enable, redactIps, extraPatterns }: PrepareOptions['redaction']): Redact {
  if (!enable) return (text) => text
  const rules = redactIps ? [...REDACTIONS, ...ADDRESSES] : REDACTIONS
  const extra = extraPatterns.map((source) => RE2JS.compile(source))
  return (text) => {
    let clean = text
    for (const { hint, pattern, replace } of rules)
      if (hint.test(clean)) clean = clean.replace(pattern, replace as (whole: string) => string)
    for (const pattern of extra) if (pattern.test(clean)) clean = pattern.matcher(clean).replaceAll(mask('custom'))
    return clean
  }
}
