import type { AnswerPage } from '../../src/api/answer.ts'
import type { Brief, ChangeRecord, NoteRecord } from '../../src/api/brief.ts'
import type { DeliveryPage } from '../../src/api/delivery.ts'
import type { IncidentDetail, IncidentPage, IncidentRecord } from '../../src/api/incident.ts'
import type { DigestDetail, DigestPage, DigestPlacePage } from '../../src/api/noise/digest.ts'
import type { ProblemDetail, ProblemPage } from '../../src/api/noise/problem.ts'
import type { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../src/api/noise/silence.ts'
import type { SilenceCreated } from '../../src/api/noise/silence-requests.ts'
import type { RunList } from '../../src/api/oncall/run.ts'
import type { Answer, Answered, WayDown } from '../../src/domain/answer.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { GatewayReport, PageAction } from '../../src/domain/oncall.ts'
import type { AlertPage } from '../../src/store/alerts/alerts.ts'
import type { AnswerFilter } from '../../src/store/answers/filter.ts'
import type { NewChange, NewNote } from '../../src/store/brief/records.ts'
import type { HeartbeatState } from '../../src/store/heartbeats/heartbeats.ts'
import type { DeliveryFilter, IncidentFilter, ReplayFilter } from '../../src/store/incidents/filters.ts'
import type { Decided, RouteHits } from '../../src/store/noise/queries/decisions.ts'
import type { DestinationState } from '../../src/store/noise/queries/destinations.ts'
import type { DigestFilter, PlaceFilter, SilenceFilter } from '../../src/store/noise/queries/filters.ts'
import type { HourOfDestination, ReportPart } from '../../src/store/noise/queries/report.ts'
import type { SilencePort } from '../../src/store/noise/silences/open.ts'
import type { ChannelHealth } from '../../src/store/ports/channels.ts'
import type { NamedPing, OwedIncident } from '../../src/store/ports/heartbeats.ts'
import type {
  HistoryNumbers,
  HistoryPage,
  HistoryQuery,
  HistoryRange,
  StoredSilence,
} from '../../src/store/ports/history.ts'
import type { RepeatTrial, TriedRepeat } from '../../src/store/ports/noise.ts'
import type { PersonalPage, PressedPage } from '../../src/store/ports/oncall-pages.ts'
import type { NamedProblem, ProblemName } from '../../src/store/ports/problems.ts'
import type { KnownShift, NewOverride, ScheduleNow, StoredOverride } from '../../src/store/ports/schedules.ts'
import type { PlainSilence } from '../../src/store/ports/silences.ts'
import type { ProblemFilter } from '../../src/store/problems/queries/read.ts'
import type { LogSettings } from '../../src/telemetry/log.ts'
import type { StorageSnapshot } from '../../src/telemetry/snapshot.ts'
import type { Query } from './query.ts'

type SilenceSettings = Parameters<SilencePort['preview']>[0]

/** Changed parts of a silence. */
export interface SilenceChanges extends Pick<SilenceSettings, 'asSent'> {
  /** Epoch milliseconds, of one that has not begun. */
  readonly startsAt?: number
  /** Epoch milliseconds. */
  readonly endsAt?: number
  readonly owner?: string
  readonly comment?: string
}

/**
 * Questions to storage. All reject with `ask_timeout` or `peer_down`; those that change the database also with
 * `storage_full`, `storage_down`. A command for an incident that is not applied waits until it is, at most 4 s.
 */
export interface StorageQueries {
  /** Proves that a write commits right now. */
  check(): void
  /** Suspends dispatch to all senders and the pager, so that the send thread can be drained. */
  hold(): void
  /** Resumes dispatch. Deliveries that wait only for their turn at a rate become due now. */
  release(): void
  /** Changes what the thread logs. */
  log(query: LogSettings): void
  state(): StorageSnapshot
  /** Lists applied incidents only, like all questions that follow. */
  incidents(query: { readonly filter: IncidentFilter }): IncidentPage
  /** Undefined: no such incident is applied. */
  incident(query: { readonly id: string }): IncidentDetail | undefined
  deliveries(query: { readonly filter: DeliveryFilter }): DeliveryPage
  /** Health of every channel, enabled or not. */
  channels(): { readonly [channel in ChannelName]: ChannelHealth }
  /** Stops dispatch to the channel. Survives restarts. */
  pause(query: { readonly channel: ChannelName }): void
  resume(query: { readonly channel: ChannelName }): void
  /** Makes dead deliveries pending again; returns their number. */
  replay(query: { readonly filter: ReplayFilter }): number
  /** Makes every finished delivery of the incident pending again; false: no such incident. */
  resend(query: { readonly id: string }): boolean
  /** The incident without deliveries, attempts and payload; undefined: no such incident. */
  record(query: { readonly id: string }): IncidentRecord | undefined
  digests(query: { readonly filter: DigestFilter }): DigestPage
  /** Undefined: no digest has the number; likewise for `places`. */
  digest(query: { readonly number: number }): DigestDetail | undefined
  places(query: { readonly filter: PlaceFilter }): DigestPlacePage | undefined
  destinations(): readonly DestinationState[]
  routeHits(): RouteHits
  /** Undefined: every repeat is a message. */
  tryRepeat(query: { readonly trial: RepeatTrial }): TriedRepeat | undefined
  /** Returns the decision about the incident; waits until it is applied, like a command. Undefined: no such incident. */
  decided(query: { readonly id: string }): Decided | undefined
  /** Returns the incidents that heartbeats have to raise now. */
  owedHeartbeats(): readonly OwedIncident[]
  heartbeats(): readonly HeartbeatState[]
  /** Records pings in one transaction; false for each whose heartbeat is not configured. */
  pings(query: { readonly pings: readonly NamedPing[] }): readonly boolean[]
  /** Returns the output of the heartbeat's last ping; '' when it is not known. */
  pingOutput(query: { readonly name: string }): string
  /** Resolves once all is applied that is committed now. */
  caughtUp(): void
  /** Returns the number of the last incident that is applied. */
  applied(): number
  /** Some of the alerts that fire at a door, once all is applied that was committed before. `after`: `next` of the page before. */
  alerts(query: { readonly after: string }): AlertPage
  /** One step of a report. */
  reportPart(query: { readonly since: number; readonly before: number | undefined }): ReportPart
  reportRevisions(query: { readonly since: number }): readonly HourOfDestination[]
  /** Finds a stretch of history, for a rehearsal. */
  historyRange(query: { readonly asked: HistoryQuery }): HistoryRange
  historyPage(query: { readonly numbers: HistoryNumbers }): HistoryPage
  problems(query: { readonly filter: ProblemFilter }): ProblemPage
  /** Undefined: no problem has the number, as the two that follow. They return it as it is on disk after them. */
  problem(query: { readonly id: number }): ProblemDetail | undefined
  acknowledgeProblem(query: { readonly id: number; readonly by: string }): ProblemDetail | undefined
  resolveProblem(query: { readonly id: number; readonly by: string }): ProblemDetail | undefined
  /** Acts for a token, in one step, if the problem is as it was when it was shown; without `shown` it only looks. */
  tokenAct(query: TokenAct): TokenActed
  /**
   * Waits until all that is committed is applied, like a command; likewise for the two that follow. Undefined: no problem has
   * the name.
   */
  namedProblem(query: { readonly name: ProblemName }): NamedProblem | undefined
  /** Acknowledges a problem while it fires; returns it as it was before. */
  acknowledgeNamed(query: { readonly name: ProblemName; readonly by: string }): NamedProblem | undefined
  /** Returns the problem, and the number of threads that get the note. */
  noteNamed(query: {
    readonly name: ProblemName
    readonly by: string
    readonly text: string
  }): { readonly problem: NamedProblem; readonly threads: number } | undefined
  /** Undefined: no problem has the number, or no history is kept; likewise for the notes. `opening`: an earlier time that it fired. */
  'brief.of'(query: { readonly id: number; readonly opening?: number }): Brief | undefined
  'brief.notes'(query: { readonly problem: number }): readonly NoteRecord[] | undefined
  'brief.addNote'(query: { readonly note: NewNote }): NoteRecord | undefined
  'brief.removeNote'(query: { readonly id: number }): boolean
  'brief.changes'(): readonly ChangeRecord[]
  /** Undefined: no history is kept. */
  'brief.addChange'(query: { readonly change: NewChange }): { readonly id: number; readonly isNew: boolean } | undefined
  historySilences(query: { readonly from: number }): readonly StoredSilence[]
  silences(query: { readonly filter: SilenceFilter }): SilencePage
  /** `live`: leaves out those that have ended. `id`: that one alone, whatever its state is. */
  plainSilences(query: { readonly live: boolean; readonly id?: number }): readonly PlainSilence[]
  /** Undefined: no silence has the number; likewise for the next three. */
  silence(query: { readonly id: number }): SilenceDetail | undefined
  /** Throws `bad_parameter`, `silence_expired`, as of `SilencePort`. */
  changeSilence(query: { readonly id: number; readonly changes: SilenceChanges }): SilenceRecord | undefined
  endSilence(query: { readonly id: number; readonly by: string }): SilenceRecord | undefined
  /** Throws `bad_parameter`, `silence_too_broad`. */
  addSilence(query: { readonly settings: SilenceSettings; readonly broad: boolean }): SilenceCreated
  previewSilence(query: { readonly settings: SilenceSettings }): SilencePreview
  /** Empty when no schedule of on-call is configured, as the next three. */
  schedules(): readonly ScheduleNow[]
  /** Returns when a schedule may have changed last, epoch milliseconds. */
  schedulesChangedAt(): number
  scheduleShifts(query: { readonly name: string; readonly from: number; readonly until: number }): readonly KnownShift[]
  overrides(): readonly StoredOverride[]
  /** Throws `bad_parameter` when the schedule has 200 that are not over, and `not_found` when no schedule is configured. */
  addOverride(query: { readonly override: NewOverride }): StoredOverride
  /** Undefined: no override has the number. */
  endOverride(query: { readonly id: number; readonly by: string }): StoredOverride | undefined
  /** Does what a person ordered from a message, once for each key. */
  answer(query: { readonly answer: Answer }): Answered
  answers(query: { readonly filter: AnswerFilter }): AnswerPage
  /** The way back of answers from a channel is down, of which a notice goes out; without `way`: is not any more. */
  wayBack(query: { readonly channel: ChannelName; readonly way?: WayDown }): void
  /** `problem`: its number, for an incident that may be deleted. `link`: it came by a signed link. */
  acknowledge(query: {
    readonly id: string
    readonly by: string
    readonly problem?: number | undefined
    readonly link?: true
  }): AcknowledgeResult
  /** A message to a person, by its number; undefined: there is none. */
  'oncall.page'(query: { readonly message: number }): PersonalPage | undefined
  /** Answers as the person of the message. */
  'oncall.pressPage'(query: { readonly message: number; readonly action: PageAction }): PressedPage
  /** Takes the report of a gateway about a page; false: it got no page with the id. */
  'oncall.runs'(): RunList
  /** Runs the next step of an escalation at once; false: the problem has none at work. */
  'oncall.escalate'(query: { readonly id: number; readonly by: string }): boolean
  'oncall.reported'(query: { readonly report: GatewayReport }): boolean
  /** Resolves all incidents of the fingerprint; false: no such incident. */
  resolve(query: { readonly id: string; readonly by: string }): boolean
}

export type StorageQuery<K extends keyof StorageQueries = keyof StorageQueries> = Query<StorageQueries, K>

/** `mayStopPages`: an acknowledgement ends pages and escalations as that of a person, and a resolution need not wait for them. */
export interface TokenAct {
  readonly action: 'acknowledge' | 'resolve' | 'silence'
  readonly id: number
  readonly by: string
  readonly mayStopPages: boolean
  /** `shown` of an earlier answer. */
  readonly shown?: string
}

/** `paged`: the resolution would end a page that is to come, or an escalation. Nothing was done unless it is `done`. */
export type TokenActed =
  | { readonly kind: 'unknown' | 'over' | 'stale' | 'paged' }
  | {
      readonly kind: 'ready' | 'done'
      readonly problem: ProblemDetail
      /** Changes with the problem: another incident, a new begin, an end. */
      readonly shown: string
      /** Pages to come, and open escalations. */
      readonly pages: number
    }

/** `already`: an earlier acknowledgement stays. The record is as it is on disk after the question. */
export type AcknowledgeResult =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'acknowledged' | 'already'; readonly incident: Acknowledged }

/** The incident, or its problem when the incident is deleted. */
type Acknowledged = Pick<
  IncidentRecord,
  'title' | 'service' | 'severity' | 'status' | 'created_at' | 'acked_at' | 'acked_by'
>
