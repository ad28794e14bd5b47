import type { TextRules } from '../../domain/delivery/message.ts'
import { grouped, type PageNotice, pageHeadline } from '../../domain/delivery/notice.ts'
import { isoTime } from '../../text/iso-time.ts'
import { shortened } from './digest-text.ts'
import { ESCAPERS } from './escape.ts'
import { type FallbackText, isMail } from './fallback.ts'
import { fit } from './fit.ts'
import { MARKUP } from './markup.ts'

export interface Addresses {
  readonly publicHost: string
  /** Link with which a person answers a message; undefined: there is none. */
  readonly ackUrl?: string | undefined
}

const MAX_TITLE = 120
const MAX_SERVICE = 40
const MAX_REASON = 200

/**
 * Returns the text of a message that asks a person to take problems. What the person needs comes first, because a lock screen and
 * the limit of a channel cut the end: the problem and how late it is, the link to answer, then the list and who asked why.
 */
export function pageText(notice: PageNotice, rules: TextRules, { publicHost, ackUrl }: Addresses): FallbackText {
  const { strong, link, lineBreak, item } = MARKUP[rules.escaping]
  const escaped = (text: string, max: number) => ESCAPERS[rules.escaping].escape(shortened(text, max))
  const { shown, problems, escalation, step, because } = notice
  const headline = pageHeadline(notice)
  const path = shown.length === 1 ? `/#/problems/${shown[0]?.problem}` : '/#/problems'
  const place = (service: string) => (service === '' ? '' : ` · ${escaped(service, MAX_SERVICE)}`)
  const list = shown.map(({ severity, title, service, since }) =>
    [item, escaped(`${severity} ${title}`, MAX_TITLE), place(service), `, since ${timeOf(since)}`].join(''),
  )
  const more = problems > shown.length ? [`${item}and ${grouped(problems - shown.length)} more`] : []
  const asked = `${escalation}, ${step === 0 ? 'the time of the acknowledgement is over' : `step ${step}`}: ${because}`
  const parts = [
    strong(escaped(headline, 2 * MAX_TITLE)),
    ...(ackUrl === undefined ? [] : [link('Acknowledge, or say that you cannot', ackUrl)]),
    [...list, ...more].join('\n'),
    [escaped(asked, MAX_REASON), ...(publicHost === '' ? [] : [link('Dashboard', publicHost + path)])].join(lineBreak),
  ]
  const text = parts.filter(Boolean).join('\n\n')
  const framed = isMail(rules) ? `<div style="white-space:pre-wrap;font:15px/1.5 sans-serif">${text}</div>` : text
  const fitted = fit(framed, rules, publicHost + path).text
  return rules.subject ? { text: fitted, subject: headline } : { text: fitted }
}

/** `2026-11-27 03:12 UTC` */
const timeOf = (ms: number) => isoTime(ms).slice(0, 16).replace('T', ' ').concat(' UTC')
