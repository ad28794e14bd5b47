import type { IncidentDetail } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import { type FrameIncident, type FrameRequest, headerOf, readFrameRequests } from '../../src/domain/frame.ts'
import type { Payload } from '../../src/domain/incident.ts'
import { incidentNumberOf } from '../../src/domain/incident-id.ts'
import { recognise } from '../../src/intake/recognise.ts'
import type { Journal } from '../../src/journal/contract.ts'
import type { Progress } from '../../src/journal/progress.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { JournalQueries } from '../messages/journal-queries.ts'
import type { Answers } from '../messages/query.ts'
import type { Quota } from './quota.ts'

interface QueryContext {
  readonly journal: Pick<Journal, 'find' | 'check' | 'size'>
  readonly progress: Progress
  readonly quota: Quota
  readonly log: LiveLog
}

export function journalAnswers({ journal, progress, quota, log }: QueryContext): Answers<JournalQueries> {
  return {
    check: () => journal.check(),
    incident: ({ id, channels, behind }) =>
      isBehind(id, progress.applied + behind) ? unappliedIncident(id, channels, { journal, progress }) : undefined,
    state: () => journal.size,
    settings({ quota: limits, log: level }) {
      quota.change(limits)
      log.change(level)
    },
  }
}

const isBehind = (id: string, number: number) => (incidentNumberOf(id) ?? 0) > number

/**
 * Returns the record of an incident that is committed and not applied; its fields are recognised anew. Undefined also
 * when it cannot be read: it goes to quarantine when it is its turn, and is in no list then either.
 */
function unappliedIncident(
  id: string,
  channels: readonly ChannelName[],
  { journal, progress }: Pick<QueryContext, 'journal' | 'progress'>,
): IncidentDetail | undefined {
  const number = incidentNumberOf(id)
  if (number === undefined || number <= progress.applied) return undefined
  const found = journal.find(number)
  if (found === undefined || found.damage !== undefined) return undefined
  try {
    return detailIn(found.frame, id, channels)
  } catch {
    return undefined
  }
}

/** Returns undefined when no incident of the frame has the id. Throws when the incident cannot be read. */
function detailIn(frame: Uint8Array, id: string, channels: readonly ChannelName[]): IncidentDetail | undefined {
  const { committedAt } = headerOf(frame)
  for (const request of readFrameRequests(frame)) {
    const incident = request.incidents.find((each) => each.id === id)
    if (incident) return detailOf(incident, request, { committedAt, channels })
  }
  return undefined
}

function detailOf(
  { id, number, body }: FrameIncident,
  { receivedAt, source = 'webhook', origin, overrides, incidents }: FrameRequest,
  { committedAt, channels }: { readonly committedAt: number; readonly channels: readonly ChannelName[] },
): IncidentDetail {
  const content = JSON.parse(new TextDecoder().decode(body)) as Payload
  const { status, changedAt, members, ...recognised } = recognise(content)
  return {
    id,
    ...recognised,
    status,
    reported_status: status,
    source,
    created_at: isoTime(receivedAt),
    acked_at: null,
    acked_by: null,
    resolved_at: null,
    resolved_by: null,
    channels_enabled: [...channels],
    channels_notified: [],
    notify_status: 'pending',
    notify_error: null,
    oncall_triggered: false,
    oncall_error: null,
    silence: null,
    applied: false,
    problem: null,
    content,
    topic: number === incidents[0]?.number ? (origin ?? null) : null,
    warnings: overrides?.warnings ?? [],
    stages: {
      received_at: isoTime(receivedAt),
      committed_at: isoTime(committedAt),
      first_attempt_at: null,
      notified_at: null,
    },
    answers: [],
    deliveries: [],
    oncall: null,
  }
}
