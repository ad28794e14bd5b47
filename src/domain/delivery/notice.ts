import type { WaysDownNotice } from '../answer.ts'
import type { Status } from '../incident.ts'
import type { SeverityLevel } from '../severity.ts'
import { DESTINATIONS, type Destination } from './delivery.ts'

/** Content of a message that no incident's payload fills. */
export type Notice =
  | (Failures | FollowUp | DigestNotice | SilenceNotice | BurnNotice)
  | (PageNotice | LineNotice | WaysDownNotice)

/** Subjects of notices: dead deliveries of a channel, failed pages, the objective of telling in time, and ways back of answers. */
export const NOTICE_SUBJECTS = [...DESTINATIONS, 'slo', 'answers'] as const
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number]

/** Deliveries of a channel, or pages, have died. */
export interface Failures {
  readonly kind: 'failures'
  readonly about: Destination
  /** Number of dead ones now. */
  readonly dead: number
  /** Reason of the latest one; scrubbed, as in the ledger. */
  readonly reason: string
  /** Of pages: escalations that are over and nobody took the problem; absent: none. */
  readonly runs?: number
}

/** The objective of telling in time is missed so fast that its error budget is used up early. */
export interface BurnNotice {
  readonly kind: 'burn'
  readonly toldWithinMs: number
  /** Share that has to be told in time, below 1. */
  readonly objective: number
  /** Length of the window that is counted. */
  readonly minutes: number
  /** Incidents that were told too late or are overdue now, of all. */
  readonly late: number
  readonly of: number
  readonly overdue: number
}

/** Returns the first line of the notice, which is also its push notification and its subject. */
export function burnHeadline({ toldWithinMs, minutes, late, of }: BurnNotice): string {
  const share = (100 * late) / of
  const percent = share < 10 ? share.toFixed(1) : share.toFixed(0)
  return `🔥 Notified too late: ${percent} % of the incidents of ${minutes / 60} h took longer than ${toldWithinMs / 1_000} s`
}

/** A person acknowledged, resolved or silenced the incident, or noted something, or a silence of it is over, or the brief of its problem; goes to the thread of its message. */
export interface FollowUp {
  readonly kind: 'follow-up'
  readonly word: keyof typeof FOLLOW_UP_WORDS
  /** Empty: nobody did it. */
  readonly by: string
  readonly title: string
  /** Only of a note, or the lines of a brief. */
  readonly text?: string | undefined
  /** Number of the problem that a brief is about. */
  readonly problem?: number
}

/** Returns the follow-up's text, which is also its push notification. */
export function followUpLine({ word, by, title }: Pick<FollowUp, 'word' | 'by' | 'title'>): string {
  return `${FOLLOW_UP_WORDS[word]}${by === '' ? '' : ` by ${by}`}: ${title}`
}
const FOLLOW_UP_WORDS = {
  acknowledged: '✅ Acknowledged',
  resolved: '🟢 Resolved',
  noted: '📝 Noted',
  silenced: '🔕 Silenced',
  silence_ended: '🔔 Silence ended',
  silence_over: '🔔 Silence over, still firing',
  brief: '📋 Brief',
} as const

/** Account of a silence at one destination: what it held, when it is over or shortly before. */
export interface SilenceNotice {
  readonly kind: 'silence'
  /** Number of the silence, as in its address. */
  readonly silence: number
  readonly name: string
  readonly owner: string
  /** `ending`: the end is near and something still fires. */
  readonly phase: 'ending' | 'over'
  /** End of the window, epoch milliseconds. */
  readonly endsAt: number
  /** Incidents that were held or silenced. */
  readonly alerts: number
  readonly problems: number
  /** Problems whose latest incident is resolved. */
  readonly resolved: number
  /** Problems that still fire: their messages follow. */
  readonly firing: number
  /** Problems that still fire, and that another silence holds on. */
  readonly heldOn: number
}

/** Returns the first line of the account, which is also its push notification and its subject. */
export function silenceHeadline({ name, owner, phase, ...counts }: SilenceNotice): string {
  const whose = `"${name}" (${owner})`
  if (phase === 'ending')
    return `⏳ Silence ${whose} ends in ${SILENCE_REMINDER_MINUTES} minutes: ${counted(counts.firing, 'problem')} ${counts.firing === 1 ? 'fires' : 'fire'}`
  const held = `${counted(counts.alerts, 'alert')} of ${counted(counts.problems, 'problem')} held`
  const rest = [
    `${grouped(counts.resolved)} resolved`,
    ...(counts.heldOn > 0 ? [`${grouped(counts.heldOn)} held on by another silence`] : []),
    counts.firing > 0 ? `${grouped(counts.firing)} still firing, sent now` : '0 still firing',
  ]
  return `🔔 Silence ${whose} over: ${held}, ${rest.join(', ')}`
}

/** A reminder comes this long before the end of a silence that holds something. */
export const SILENCE_REMINDER_MINUTES = 15

/** A message that asks a person, or a channel, to take problems. */
export interface PageNotice {
  readonly kind: 'page'
  /** Its number, for the personal link. */
  readonly message: number
  /** Key of the person; absent: it is for a channel. */
  readonly person?: string
  readonly name: string
  /** What asked for the first of the problems: the escalation, the 1-based step, and the target with the reason. */
  readonly escalation: string
  /** 0: the person acknowledged, and the time of that is over. */
  readonly step: number
  readonly because: string
  /** After its due time, from 30 s on; 0 below. */
  readonly lateMs: number
  /** An earlier message with this number may have arrived. */
  readonly mayRepeat: boolean
  /** Nobody is on call for the step, and a channel is told so. */
  readonly nobody: boolean
  /** Problems that it is about. */
  readonly problems: number
  /** The loudest of them, at most `PAGE_PROBLEMS`. */
  readonly shown: readonly PageProblem[]
}

export interface PageProblem {
  /** Number of the problem. */
  readonly problem: number
  readonly title: string
  readonly service: string
  readonly severity: string
  /** When it began to fire, epoch milliseconds. */
  readonly since: number
  /** Id of its latest incident. */
  readonly incidentId: string
}

/** Returns the first line of a message to a person, which is also its push notification and its subject. */
export function pageHeadline({ shown: [loudest], problems, step, lateMs, mayRepeat, nobody }: PageNotice): string {
  const { severity = '', title = '', service = '' } = loudest ?? {}
  const lead = [
    ...(nobody ? ['nobody is on call'] : step === 0 ? ['still open'] : []),
    ...(lateMs > 0 ? [`${lasted(lateMs)} late`] : []),
  ].join(', ')
  const about = [severity.toUpperCase(), title].filter(Boolean).join(' ')
  const place = service === '' || title.includes(service) ? '' : ` · ${service}`
  const others = problems > 1 ? ` and ${counted(problems - 1, 'other problem')}` : ''
  return `📟 ${lead === '' ? '' : `${lead[0]?.toUpperCase()}${lead.slice(1)}: `}${about}${place}${others}${mayRepeat ? ' (repeated)' : ''}`
}

/** Most problems that a message to a person lists one by one. */
export const PAGE_PROBLEMS = 5

/** A line to a person: somebody has the problem, or an override changes when the person is on call. */
export interface LineNotice {
  readonly kind: 'line'
  readonly text: string
}

/** Most problems that a digest lists one by one. */
export const DIGEST_PROBLEMS = 12

/**
 * One revision of the digest of a storm at one destination. All numbers count from the beginning of the storm, so that
 * a message that arrives twice never adds up. An alert is an incident; a problem is all alerts of one fingerprint.
 */
export interface DigestNotice {
  readonly kind: 'digest'
  /** Number of the digest, as in its address. */
  readonly digest: number
  /** 1-based. Revisions with the same number cover the same alerts or more. */
  readonly revision: number
  /** `over`: the last revision. */
  readonly phase: 'open' | 'over'
  /** An earlier message with this number may have arrived. */
  readonly mayRepeat: boolean
  /** Times of the storm's first and latest alert, epoch milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
  /** Loudest first, resolved last, without zeros; the sum is the number of the storm's alerts. */
  readonly counts: readonly DigestCount[]
  /** Folded alerts that no earlier revision covers. */
  readonly added: number
  readonly problems: number
  /** Problems whose latest alert is firing. */
  readonly firing: number
  /** At most `DIGEST_PROBLEMS`: by severity, then new ones, then by number of alerts. */
  readonly shown: readonly DigestProblem[]
  readonly others: OtherProblems
}

/** Number of alerts of one severity, or of resolved ones. */
export interface DigestCount {
  readonly word: SeverityLevel | 'resolved'
  readonly alerts: number
  /** Incidents that were told by a message of their own. */
  readonly singly: number
  /** Incidents whose own message is not sent yet. */
  readonly waiting: number
}

export interface DigestProblem {
  readonly title: string
  readonly service: string
  readonly level: SeverityLevel
  /** Status of the latest alert. */
  readonly status: Status
  /** Id of the latest alert. */
  readonly incidentId: string
  readonly alerts: number
  readonly singly: number
  readonly waiting: number
  /** Folded alerts that no earlier revision covers. */
  readonly added: number
  /** No earlier revision or message of the storm is about it. */
  readonly isNew: boolean
}

/** Problems of a digest that are not listed one by one. */
export interface OtherProblems {
  readonly problems: number
  /** Number of their services. */
  readonly services: number
  /** The services with the most alerts, most first. */
  readonly top: readonly { readonly service: string; readonly alerts: number }[]
}

/** Returns a digest's first line, which is also its push notification and its subject. */
export function digestHeadline({ digest, revision, phase, mayRepeat, counts, problems }: DigestNotice): string {
  const alerts = counts.reduce((sum, count) => sum + count.alerts, 0)
  const began = phase === 'over' ? '🌤 Storm over, digest' : '🌩 Digest'
  const about = `${counted(alerts, 'alert')} of ${counted(problems, 'problem')}`
  return `${began} ${digest}·${revision}: ${about}${mayRepeat ? ' (repeated)' : ''}`
}

/** Returns a duration in its largest fitting unit: `14 min`. */
export function lasted(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

const NUMBERS = new Intl.NumberFormat('en-US')

/** Returns a number with its thousands apart: `1,240`. */
export const grouped = (count: number): string => NUMBERS.format(count)

/** Returns a number with its noun: `1 alert`, `1,240 alerts`. */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
