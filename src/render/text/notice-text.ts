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
  type SilenceNotice,
  silenceHeadline,
} from '../../domain/delivery/notice.ts'
import { isoTime } from '../../text/iso-time.ts'
import { digestText } from './digest-text.ts'
import { escapeForChannel, type FallbackText } from './fallback.ts'
import { fit } from './fit.ts'
import { type Addresses, pageText } from './page-text.ts'

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
