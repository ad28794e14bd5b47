import { type WaysDownNotice, waysDownHeadline } from '../../domain/answer.ts'
import type { TextRules } from '../../domain/delivery/message.ts'
import {
  type BurnNotice,
  burnHeadline,
  type Failures,
  type FollowUp,
  followUpLine,
  grouped,
  type Notice,
  type PageNotice,
  pageHeadline,
  type SilenceNotice,
  silenceHeadline,
} from '../../domain/delivery/notice.ts'
import { isoTime } from '../../text/iso-time.ts'
import { digestText, shortened } from './digest-text.ts'
import { ESCAPERS } from './escape.ts'
import { escapeForChannel, type FallbackText, isMail } from './fallback.ts'
import { fit } from './fit.ts'
import { MARKUP } from './markup.ts'

/** Returns the text of a notice or follow-up. Escaped and fitted to the limit. */
export function noticeText(notice: Notice, rules: TextRules, { publicHost, ackUrl }: Addresses): FallbackText {
  switch (notice.kind) {
    case 'failures':
      return notice.about === 'oncall' ? failedPages(notice, rules, publicHost) : deadLetters(notice, rules, publicHost)
    case 'follow-up':
      return followUp(notice, rules, publicHost)
    case 'silence':
      return silence(notice, rules, publicHost)
    case 'page':
      return pageText(notice, rules, { publicHost, ackUrl })
    case 'line':
      return textOf({ headline: notice.text, rest: [], path: '' }, rules)
    case 'burn':
      return burn(notice, rules, publicHost)
    case 'ways down':
      return waysDown(notice, rules, publicHost)
    case 'digest':
      return digestText(notice, rules, publicHost)
    default:
      return notice satisfies never
  }
}

/** Line in a thread. A brief repeats no title: it stands below the problem's message. */
function followUp(notice: FollowUp, rules: TextRules, publicHost: string): FallbackText {
  const headline = followUpLine(notice)
  const { word, text, problem } = notice
  if (word !== 'brief') return textOf({ headline, rest: text === undefined ? [] : [text], path: '' }, rules)
  const path = `/#/problems/${problem}`
  const lines = [text, ...(publicHost === '' ? [] : [`${publicHost}${path}`])].join('\n')
  const { text: fitted } = fit(escapeForChannel(lines, rules), rules, path)
  return rules.subject ? { text: fitted, subject: headline } : { text: fitted }
}

/** Notice that incidents are notified too late. */
function burn(notice: BurnNotice, rules: TextRules, publicHost: string): FallbackText {
  const path = '/#/noise'
  const { late, of, overdue, objective, toldWithinMs } = notice
  const rest = [
    `${grouped(late)} of ${grouped(of)}, ${grouped(overdue)} of them not notified yet. The objective is ${Number((objective * 100).toFixed(3))} % within ${toldWithinMs / 1_000} s.`,
    `A provider is slow or down, or its rate is too low for the load: ${publicHost}${path}`,
  ]
  return textOf({ headline: burnHeadline(notice), rest, path }, rules)
}

/** Notice that presses do not arrive. */
function waysDown(notice: WaysDownNotice, rules: TextRules, publicHost: string): FallbackText {
  const path = '/#/channels'
  const rest = notice.ways.map(
    ({ channel, since, error }) => `${channel}: since ${isoTime(since)}${error === '' ? '' : `: ${error}`}`,
  )
  const advice = `Messages are sent, and links work. See ${publicHost}${path}`
  return textOf({ headline: waysDownHeadline(notice), rest: [...rest, advice], path }, rules)
}

/** Notice of dead letters on a channel. */
function deadLetters({ about, dead, reason }: Failures, rules: TextRules, publicHost: string): FallbackText {
  const path = `/api/admin/deliveries?state=dead&channel=${about}`
  const rest = [
    `The messages did not arrive and are not tried again by themselves. Last reason: ${reason || 'none was given'}`,
    `See ${publicHost}${path}, and POST /api/admin/deliveries/replay when it is mended.`,
  ]
  const headline = `⚠️ ${dead === 1 ? 'A delivery' : `${dead} deliveries`} on ${about} ${dead === 1 ? 'is' : 'are'} dead`
  return textOf({ headline, rest, path }, rules)
}

/** Notice of pages that the on-call provider did not take. */
function failedPages({ dead, reason, runs = 0 }: Failures, rules: TextRules, publicHost: string): FallbackText {
  const path = '/api/admin/incidents'
  const rest = [
    runs === dead
      ? `Nobody acknowledged, and no step of the escalation is left. Last: ${reason}`
      : `The on-call provider did not take ${dead === 1 ? 'a page' : 'the pages'}, and it is not tried again. Last reason: ${reason || 'none was given'}`,
    `Somebody has to look: ${publicHost}${path}`,
  ]
  const headline = `🚨 Nobody was woken for ${dead === 1 ? 'an incident' : `${dead} incidents`}`
  return textOf({ headline, rest, path }, rules)
}

/** Account of a silence that is over, or near its end. */
function silence(notice: SilenceNotice, rules: TextRules, publicHost: string): FallbackText {
  const path = `/#/silences/${notice.silence}`
  const held = publicHost === '' ? `It is silence ${notice.silence}.` : `What it held: ${publicHost}${path}`
  const extend =
    publicHost === '' ? `Extend silence ${notice.silence} if it is needed longer.` : `Extend it: ${publicHost}${path}`
  const end = `Until ${isoTime(notice.endsAt)}.`
  return textOf(
    { headline: silenceHeadline(notice), rest: [notice.phase === 'ending' ? `${end} ${extend}` : held], path },
    rules,
  )
}

interface Parts {
  readonly headline: string
  readonly rest: readonly string[]
  /** Link of the cut notice. */
  readonly path: string
}

function textOf({ headline, rest, path }: Parts, rules: TextRules): FallbackText {
  const lines = rest.length === 0 ? [headline] : [headline, '', ...rest]
  const { text } = fit(escapeForChannel(lines.join('\n'), rules), rules, path)
  return rules.subject ? { text, subject: headline } : { text }
}

interface Addresses {
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
function pageText(notice: PageNotice, rules: TextRules, { publicHost, ackUrl }: Addresses): FallbackText {
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
