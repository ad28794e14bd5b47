import type { AttemptRecord } from '../../api/attempt.ts'
import type { DeliveryRecord } from '../../api/delivery.ts'
import type { IncidentDetail, IncidentRecord } from '../../api/incident.ts'
import type { Overrides } from '../../domain/incident.ts'
import type { Page } from '../../domain/page.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import {
  bundleKindName,
  channelName,
  channelsIn,
  DESTINATION_CODE,
  NOTIFY,
  notifyName,
  stateName,
} from '../engine/column-codes.ts'
import { oncallRecord, type ShownRow } from '../pages/view.ts'
import type { AttemptRow, DeliveryRow, IncidentRow } from './rows.ts'

interface DetailColumns {
  readonly content: Uint8Array
  readonly origin: string | null
  readonly overrides: string | null
}

/** All rows that belong to one incident. */
export interface DetailRows {
  readonly incident: IncidentRow & DetailColumns & ShownRow & { readonly problem: number }
  readonly deliveries: readonly DeliveryRow[]
  /** In order of number within each channel. */
  readonly attempts: readonly AttemptRow[]
  /** Of its problem, as the pages. */
  readonly answers: IncidentDetail['answers']
  readonly pages: readonly Page[]
}

export function incidentRecord(row: IncidentRow): IncidentRecord {
  const { id, title, service, severity, status, reported_status, source, sender, fingerprint } = row
  const { acked_by, resolved_by, notify_error, oncall_error, silence } = row
  return {
    ...{ id, title, service, severity, status, reported_status, source, sender, fingerprint },
    ...{ created_at: isoTime(row.created_at), acked_at: isoTimeOrNull(row.acked_at), acked_by },
    ...{ resolved_at: isoTimeOrNull(row.resolved_at), resolved_by },
    channels_enabled: channelsIn(row.channels_enabled),
    channels_notified: channelsIn(row.channels_notified),
    ...{ notify_status: notifyName(row.notify_status), notify_error },
    ...{ oncall_triggered: row.oncall_triggered === 1, oncall_error, silence },
  }
}

export function deliveryRecord(row: DeliveryRow): Omit<DeliveryRecord, 'incident_id' | 'title'> {
  const { target, message_id, dead_reason } = row
  return {
    channel: channelName(row.channel),
    state: stateName(row.state),
    attempts: row.earlier_attempts + row.attempts,
    next_attempt_at: isoTimeOrNull(row.due_at),
    target,
    via: viaOf(row),
    may_duplicate: row.may_duplicate === 1,
    message_id,
    dead_reason,
    reason: reasonOf(row),
  }
}

function reasonOf({ failed_channel: channel, failed_target: target }: DeliveryRow): string | null {
  return channel === null ? null : `fallback of ${channelName(channel)}${target ? `:${target}` : ''}`
}

function viaOf({ bundle, place, bundle_kind: kind, revision, told_at }: DeliveryRow): DeliveryRecord['via'] {
  if (bundle === null || place === null || kind === null) return null
  return { digest: bundle, place, kind: bundleKindName(kind), update: revision, notified_at: isoTimeOrNull(told_at) }
}

export function detailOf(rows: DetailRows): IncidentDetail {
  const { incident, deliveries, attempts: all, answers, pages: ofProblem } = rows
  const oncall = oncallRecord(incident, ofProblem)
  const attempts = all.filter((attempt) => attempt.channel !== DESTINATION_CODE.oncall)
  const pages = all.filter((attempt) => attempt.channel === DESTINATION_CODE.oncall)
  const unfinished = incident.notify_status === NOTIFY.pending
  return {
    ...incidentRecord(incident),
    applied: true,
    problem: incident.problem,
    content: JSON.parse(new TextDecoder().decode(incident.content)),
    topic: incident.origin === null ? null : JSON.parse(incident.origin),
    warnings: incident.overrides === null ? [] : ((JSON.parse(incident.overrides) as Overrides).warnings ?? []),
    stages: {
      received_at: isoTime(incident.created_at),
      committed_at: isoTime(incident.committed_at),
      first_attempt_at: isoTimeOrNull(least(attempts.map((attempt) => attempt.started_at))),
      notified_at: unfinished ? null : isoTimeOrNull(greatest(attempts.map((a) => a.started_at + a.duration_ms))),
    },
    deliveries: deliveries.map((row) => {
      const own = attempts.filter((attempt) => attempt.channel === row.destination)
      const text = own.findLast((attempt) => attempt.text !== null)?.text ?? null
      return { ...deliveryRecord(row), attempts: own.map((attempt) => attemptRecord(attempt, incident)), text }
    }),
    answers,
    oncall: oncall && { ...oncall, attempts: pages.map((attempt) => attemptRecord(attempt, incident)) },
  }
}

function attemptRecord(row: AttemptRow, { committed_at }: Pick<IncidentRow, 'committed_at'>): AttemptRecord {
  const { number, started_at, duration_ms, outcome, detail, message_id, render_fault, render_ms, limiter_wait_ms } = row
  const { handed_out_at, connected_ms } = row
  return {
    number,
    started_at: isoTime(started_at),
    ...{ duration_ms, outcome, detail, message_id },
    may_duplicate: row.may_duplicate === 1,
    render_fault,
    committed_at: isoTime(committed_at),
    handed_out_at: isoTimeOrNull(handed_out_at),
    queued_ms: handed_out_at === null ? null : Math.max(0, started_at - handed_out_at - render_ms - limiter_wait_ms),
    ...{ render_ms, limiter_wait_ms, connected_ms, confirmed_ms: duration_ms },
  }
}

const least = (numbers: readonly number[]) => (numbers.length === 0 ? null : Math.min(...numbers))
const greatest = (numbers: readonly number[]) => (numbers.length === 0 ? null : Math.max(...numbers))
