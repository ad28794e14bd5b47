import type { SchedulesState } from '../../store/oncall/schedules.ts'
import { ACKNOWLEDGE_MS, CONFIRMED_MS } from '../meters.ts'
import { counter, each, type Family, gauge, one, seconds, values } from './family.ts'

/** Timers and pages. */
export const ONCALL: readonly Family[] = [
  gauge('tocsin_oncall_armed', 'On-call timers that run.', ({ storage }) => one(storage?.oncall.armed)),
  gauge('tocsin_oncall_overdue', 'Incidents whose page is due and was not made.', ({ storage }) =>
    one(storage?.oncall.overdue),
  ),
  counter(
    'tocsin_pages_forgotten_total',
    'Pages that were too many, or whose problem ended too long ago: their end reaches no provider.',
    ({ storage }) => one(storage?.oncall.forgotten),
  ),
  counter('tocsin_oncall_attempts_total', 'Requests to the on-call provider.', ({ meters }) =>
    Object.entries(meters.oncall.attempts).flatMap(([signal, outcomes]) => values('outcome', outcomes, { signal })),
  ),
  counter('tocsin_oncall_pages_total', 'Pages that were sent to the on-call provider, or given up.', ({ meters }) =>
    values('outcome', { sent: meters.oncall.paged, failed: meters.oncall.failed }),
  ),
  seconds(
    'tocsin_oncall_late_seconds',
    'Seconds from when a page was due to the answer of the provider.',
    CONFIRMED_MS,
    (snapshot) => [{ of: snapshot.meters.oncall.lateMs }],
  ),
  counter(
    'tocsin_oncall_personal_pages_total',
    'Messages of escalations to people that were sent, or given up; a way that none was sent by has no sample.',
    ({ meters }) =>
      Object.entries(meters.oncall.personal).flatMap(([way, outcomes]) =>
        outcomes.sent.value + outcomes.dead.value === 0 ? [] : values('outcome', outcomes, { way }),
      ),
  ),
  gauge(
    'tocsin_oncall_covered',
    '1 while a person is on call by the schedule, 0 in a gap; schedules whose gaps are allowed have no sample.',
    ({ storage }) =>
      each('schedule', storage?.schedules?.schedules.map(({ name, covered }) => [name, covered ? 1 : 0]) ?? []),
  ),
  gauge(
    'tocsin_oncall_gap_in_seconds',
    'Seconds until the next gap of the schedule; no sample: none within 30 days, or its gaps are allowed.',
    ({ storage }) => each('schedule', gapsOf(storage?.schedules?.schedules ?? [])),
  ),
  gauge('tocsin_oncall_runs', 'Escalations at work on problems.', ({ storage }) =>
    each('phase', storage?.runs?.phases ?? []),
  ),
  counter('tocsin_oncall_steps_total', 'Steps of escalations that were due.', ({ meters, storage }) =>
    storage?.runs === undefined ? [] : values('result', meters.noise.runs.steps),
  ),
  seconds(
    'tocsin_oncall_step_late_seconds',
    'Seconds from when a step of an escalation was due until it asked.',
    CONFIRMED_MS,
    ({ meters, storage }) => (storage?.runs === undefined ? [] : [{ of: meters.noise.runs.stepLateMs }]),
  ),
  seconds(
    'tocsin_oncall_acknowledge_seconds',
    'Seconds from the beginning of an escalation to its first acknowledgement.',
    ACKNOWLEDGE_MS,
    ({ meters, storage }) => (storage?.runs === undefined ? [] : [{ of: meters.noise.runs.acknowledgeMs }]),
  ),
  counter('tocsin_oncall_exhausted_total', 'Escalations whose steps are over without an answer.', ({ storage }) =>
    each('escalation', storage?.runs?.unanswered ?? []),
  ),
  gauge('tocsin_oncall_way_failing', 'Ways of people whose last page is dead.', ({ storage }) =>
    one(storage?.runs?.waysFailing),
  ),
  gauge('tocsin_oncall_overrides', 'Overrides of clients that are not over.', ({ storage }) =>
    one(storage?.schedules?.overrides),
  ),
]

const gapsOf = (schedules: SchedulesState['schedules']) =>
  schedules.flatMap(({ name, gapInMs }) => (gapInMs === undefined ? [] : [[name, gapInMs / 1_000] as const]))
