import type { Escaping, TextRules } from '../../domain/delivery/message.ts'
import {
  counted,
  DIGEST_PROBLEMS,
  type DigestCount,
  type DigestNotice,
  type DigestProblem,
  digestHeadline,
  grouped,
  lasted,
  type OtherProblems,
} from '../../domain/delivery/notice.ts'
import { severityRank } from '../../domain/severity.ts'
import { graphemeStart } from '../../text/graphemes.ts'
import { isoTime } from '../../text/iso-time.ts'
import { ESCAPERS } from './escape.ts'
import { type FallbackText, isMail } from './fallback.ts'
import { fit } from './fit.ts'
import { incidentLink } from './incident-facts.ts'
import { MARKUP } from './markup.ts'

const MAX_TITLE = 80
const MAX_SERVICE = 40

/** Returns the text of a digest's revision. Escaped and fitted to the limit. */
export function digestText(notice: DigestNotice, rules: TextRules, publicHost: string): FallbackText {
  const print = printerOf(rules.escaping, publicHost)
  const { lineBreak, item } = MARKUP[rules.escaping]
  const headline = digestHeadline(notice)
  const head = [MARKUP[rules.escaping].strong(headline), print.when(notice), print.counts(notice)]
  const problems = notice.shown.slice(0, DIGEST_PROBLEMS).map((problem) => item + print.problem(problem, notice))
  const foot = [...print.others(notice.others), print.address(notice.digest)]
  const text = [head.join(lineBreak), problems.join('\n'), foot.join(lineBreak)].filter(Boolean).join('\n\n')
  const framed = isMail(rules) ? `<div style="white-space:pre-wrap;font:15px/1.5 sans-serif">${text}</div>` : text
  const fitted = fit(framed, rules, digestLink(publicHost, notice.digest)).text
  return rules.subject ? { text: fitted, subject: headline } : { text: fitted }
}

/** Returns the address of a digest's dashboard page; its number when `publicHost` is empty. */
function digestLink(publicHost: string, digest: number): string {
  return publicHost === '' ? `digest ${digest}` : `${publicHost.replace(/\/+$/, '')}/#/digests/${digest}`
}

/** In the first revision all is new, so nothing is marked as new. */
function printerOf(escaping: Escaping, publicHost: string) {
  const { link, strong } = MARKUP[escaping]
  const escaped = (text: string, max: number) => ESCAPERS[escaping].escape(shortened(text, max))
  /** Plain text keeps only the link of the digest: addresses of single incidents would bury the titles. */
  const linked = publicHost !== '' && escaping !== 'none'

  return {
    when({ phase, revision, firstAt, lastAt, added }: DigestNotice): string {
      const since = `since ${timeOf(firstAt, lastAt)}`
      const span = phase === 'over' ? [`for ${lasted(lastAt - firstAt)}`] : []
      const news = added === 0 || revision === 1 ? [] : [strong(`+${grouped(added)} new`)]
      return [since, ...span, ...news].join(', ')
    },
    counts({ counts, phase, firing }: DigestNotice): string {
      const words = counts.map(countOf)
      return [...words, ...(phase === 'over' ? [`${counted(firing, 'problem')} still firing`] : [])].join(' · ')
    },
    problem(problem: DigestProblem, { revision }: DigestNotice): string {
      const { title, service, level, status, incidentId, alerts, singly, waiting, added, isNew } = problem
      const shown = escaped(title, MAX_TITLE)
      const name = linked ? link(shown, incidentLink(publicHost, incidentId)) : shown
      const place = service === '' || title.includes(service) ? '' : `${escaped(service, MAX_SERVICE)} · `
      const number = `×${grouped(alerts)}${revision > 1 && added > 0 && added < alerts ? ` (+${grouped(added)})` : ''}`
      const own = singly + waiting === alerts ? [waiting > 0 ? 'being sent' : 'sent separately'] : []
      const facts = [...(status === 'resolved' ? ['resolved'] : []), ...own]
      const mark = isNew && revision > 1 ? `${strong('NEW')} ` : ''
      return [`${iconOf(level, status)} ${mark}${place}${name} ${number}`, ...facts].join(' · ')
    },
    others({ problems, services, top }: OtherProblems): string[] {
      if (problems === 0) return []
      const names = top.map(
        ({ service, alerts }) => `${escaped(service || 'no service', MAX_SERVICE)} ${grouped(alerts)}`,
      )
      const list = `${names.join(', ')}${services > top.length ? ', …' : ''}`
      return [`+${counted(problems, 'problem')} in ${counted(services, 'service')}: ${list}`]
    },
    address(digest: number): string {
      const to = digestLink(publicHost, digest)
      return publicHost === '' ? to : link('All alerts of this digest', to)
    },
  }
}

function countOf({ word, alerts, singly, waiting }: DigestCount): string {
  const share = (of: number, what: string) => (of === 0 ? [] : [of === alerts ? what : `${grouped(of)} ${what}`])
  const own = [...share(singly, 'sent separately'), ...share(waiting, 'being sent')]
  return `${word} ${grouped(alerts)}${own.length === 0 ? '' : ` (${own.join(', ')})`}`
}

export function iconOf(level: DigestProblem['level'], status: DigestProblem['status']): string {
  if (status === 'resolved') return '🟢'
  const rank = severityRank(level)
  return rank < 2 ? '🔴' : rank === 2 ? '🟠' : '🔵'
}

export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${graphemeStart(text, max - 1)}…`
}

/** Returns the time of day in UTC; with the date when the storm went on past midnight. */
function timeOf(firstAt: number, lastAt: number): string {
  const first = isoTime(firstAt)
  const date = isoTime(lastAt).startsWith(first.slice(0, 10)) ? '' : `${first.slice(0, 10)} `
  return `${date}${first.slice(11, 19)} UTC`
}
