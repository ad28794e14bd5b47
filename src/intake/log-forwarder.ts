import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import type { Shape } from './extracted.ts'
import { objectAt, own, textAt } from './fields.ts'

/** Fluent Bit: one record of a container's log, with or without the fields of its kubernetes filter. */
export const logForwarder: Shape = {
  sender: 'log_forwarder',
  matches(payload) {
    if (isObject(own(payload, 'kubernetes'))) return textAt(payload, LOGS) !== ''
    return typeof own(payload, 'log') === 'string' && (own(payload, 'stream') ?? own(payload, 'date')) !== undefined
  },
  read(payload) {
    const kubernetes = objectAt(payload, 'kubernetes')
    const { message, level } = parseLog(textAt(payload, LOGS))
    const service = appOf(kubernetes)
    const place = [textAt(kubernetes, ['namespace_name']), service, textAt(kubernetes, ['container_name'])].join('/')
    return {
      title: message,
      service,
      severity: textAt(payload, ['level', 'severity']) || level,
      resolved: false,
      identity: `${place} ${maskNumbers(message)}`,
    }
  },
  labels: (payload) => [[objectAt(objectAt(payload, 'kubernetes'), 'labels')]],
}

const LOGS = ['log', 'message', 'msg']

function appOf(kubernetes: Payload): string {
  const labels = objectAt(kubernetes, 'labels')
  return (
    textAt(labels, ['app', 'app.kubernetes.io/name', 'k8s-app']) ||
    textAt(kubernetes, ['container_name', 'pod_name', 'namespace_name'])
  )
}

/** The part of a log that is searched for its first line and level, in UTF-16 units. */
const MAX_HEAD = 2_000
const MAX_JSON = 16_000
const TIMESTAMP =
  /^[[(]?\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)? ?(?:Z|UTC|[+-]\d\d:?\d\d)?[\])]?[\s:|-]*/
const LEVEL = /\b(?:fatal|panic|critical|error|exception|warn(?:ing)?|notice|info|debug|trace)\b/i
const LEADING_LEVEL = /^[[(<]?(?:fatal|panic|critical|error|warn(?:ing)?|notice|info|debug|trace)[\])>]?(?:[\s:|-]+|$)/i

interface ParsedLog {
  readonly message: string
  readonly level: string
}

/** Returns the first line that is not blank, without its timestamp and level, and the level. */
function parseLog(log: string): ParsedLog {
  const structured = log.charCodeAt(0) === BRACE && log.length <= MAX_JSON ? parseJsonLog(log) : undefined
  if (structured) return structured
  const head = log.slice(0, MAX_HEAD)
  const first = /\S[^\r\n]*/.exec(head)?.[0] ?? ''
  const dated = first.replace(TIMESTAMP, '')
  const level = LEVEL.exec(first)?.[0].toLowerCase() ?? ''
  return { message: dated.replace(LEADING_LEVEL, '') || dated || first, level: level === 'exception' ? 'error' : level }
}
const BRACE = '{'.charCodeAt(0)

function parseJsonLog(log: string): ParsedLog | undefined {
  try {
    const record: unknown = JSON.parse(log)
    if (!isObject(record)) return undefined
    const message = textAt(record, ['message', 'msg', 'error', 'err', 'event'])
    const level = textAt(record, ['level', 'severity', 'lvl'])
    return message === '' ? undefined : { message: /\S[^\r\n]*/.exec(message)?.[0] ?? '', level }
  } catch {
    return undefined
  }
}

const MAX_IDENTITY = 300

/** Replaces each word with a digit by `#`: numbers, times and ids differ between two lines about the same problem. */
function maskNumbers(message: string): string {
  return message.slice(0, MAX_IDENTITY).replace(/[^\s=:,;()[\]"']+/g, (word) => (/\d/.test(word) ? '#' : word))
}
