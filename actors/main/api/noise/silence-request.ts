import { CodedError } from '../../../../src/domain/errors.ts'
import type { Payload } from '../../../../src/domain/incident.ts'
import { personOf } from '../../../../src/oncall/person.ts'
import type { ConditionSettings } from '../../../../src/policy/route.ts'
import type { ScheduleSettings } from '../../../../src/policy/schedule.ts'
import { ofProblem } from '../../../../src/policy/silences/of-problem.ts'
import type { SilenceSettings } from '../../../../src/policy/silences/settings.ts'
import type { NamedProblem } from '../../../../src/store/ports/problems.ts'
import { errorText } from '../../../../src/text/error-text.ts'
import type { SilenceChanges } from '../../../messages/storage-queries.ts'
import { known, objectOf, refuseUnknown, timeOf } from '../parameters.ts'

const KEYS =
  'name match matchers problem starts_at ends_at for schedule until until_resolved quiet_for max owner while comment broad'.split(
    ' ',
  )
const MAX_NAME = 100

interface SilenceDeps {
  /** Epoch milliseconds. */
  readonly now: number
  /** Undefined: no problem has the number. */
  problem(number: number): Promise<NamedProblem | undefined>
}

/** Reads the body of a silence that is to be made. Throws `bad_parameter`, and `not_found` for its problem. */
export async function silenceOf(
  body: unknown,
  { now, problem }: SilenceDeps,
): Promise<{ readonly settings: SilenceSettings; readonly broad: boolean }> {
  const given = objectOf(body, 'the body')
  refuseUnknown(Object.keys(given), KEYS)
  const [{ compileCondition }, { MatchCache }, policy, { conditionsOf }, { conditionsText }] = await loadPolicy()
  const conditionsIn = ({ match, matchers }: Payload, prefix: string) =>
    within(`${prefix}match`, () => {
      const read = matchers === undefined ? matchOf(match) : conditionsOf(textsOf(matchers, `${prefix}matchers`))
      for (const { field, ...condition } of read)
        within(`${prefix}${field}`, () => compileCondition({ field, ...condition }, new MatchCache()))
      return read
    })
  const single = given.problem === undefined ? undefined : ofProblem(await problemOf(given, problem))
  const conditions = single?.conditions ?? conditionsIn(given, '')
  const causes = given.while === undefined ? undefined : causesOf(given)
  const schedule = given.schedule === undefined ? undefined : await scheduleOf(given.schedule)
  const startsAt = given.starts_at === undefined ? now : timeOf(given.starts_at, 'starts_at')
  const settings: SilenceSettings = {
    where: '',
    conditions,
    ...single,
    name: textOf(given.name ?? single?.name ?? conditionsText({ conditions }), 'name').slice(0, MAX_NAME),
    startsAt,
    ...(given.until === 'resolved'
      ? untilResolved(given, startsAt, policy.UNTIL_RESOLVED_MS)
      : endingOf(given, startsAt)),
    ...(schedule !== undefined && { schedule }),
    ...(causes !== undefined && { while: conditionsIn(causes, 'while.') }),
    ...(causes?.equal !== undefined && { equal: textsOf(causes.equal, 'while.equal') }),
    ...(given.quiet_for !== undefined && { quietMs: durationOf(given.quiet_for, 'quiet_for') }),
    owner: ownerOf(given.owner),
    comment: textOf(given.comment, 'comment'),
  }
  const fault = policy.silenceFault(settings, now)
  if (fault !== undefined) throw new CodedError('bad_parameter', `${fault.part} ${fault.message}`)
  if (settings.endsAt <= now) throw new CodedError('bad_parameter', 'ends_at must be ahead')
  // One problem may be most of all incidents.
  return { settings, broad: flagOf(given.broad, 'broad') || single !== undefined }
}

type Ending = Pick<SilenceSettings, 'endsAt' | 'untilResolved'>

function untilResolved(given: Payload, startsAt: number, longestMs: number): Ending {
  const other = ['for', 'ends_at'].find((key) => given[key] !== undefined)
  if (other !== undefined) throw new CodedError('bad_parameter', `${other} has no place beside until: write max`)
  return {
    endsAt: startsAt + (given.max === undefined ? longestMs : durationOf(given.max, 'max')),
    untilResolved: true,
  }
}

function endingOf(given: Payload, startsAt: number): Ending {
  if (given.max !== undefined) throw new CodedError('bad_parameter', 'max belongs to "until": "resolved"')
  const recurs = given.schedule !== undefined || given.while !== undefined
  return {
    endsAt: recurs ? timeOf(given.until, 'until') : endOf(given, startsAt),
    untilResolved: flagOf(given.until_resolved, 'until_resolved'),
  }
}

async function problemOf(given: Payload, find: SilenceDeps['problem']): Promise<NamedProblem> {
  const other = ['match', 'matchers', 'while'].find((key) => given[key] !== undefined)
  if (other !== undefined) throw new CodedError('bad_parameter', `${other} has no place beside problem`)
  if (!Number.isSafeInteger(given.problem)) throw new CodedError('bad_parameter', 'problem must be its number')
  return known(await find(given.problem as number), 'problem')
}

function causesOf(given: Payload): Payload {
  const causes = objectOf(given.while, 'while')
  const other = ['for', 'ends_at'].find((key) => given[key] !== undefined)
  if (other !== undefined)
    throw new CodedError('bad_parameter', `${other} has no place beside while: write until, the end for good`)
  refuseUnknown(Object.keys(causes), ['match', 'matchers', 'equal'])
  return causes
}

/** Reads the body of a change. Throws `bad_parameter`. */
export function silenceChanges(body: unknown, now: number): SilenceChanges {
  const given = objectOf(body, 'the body')
  refuseUnknown(Object.keys(given), ['ends_at', 'for', 'owner', 'comment'])
  const hasEnd = given.ends_at !== undefined || given.for !== undefined
  return {
    ...(hasEnd && { endsAt: endOf(given, now) }),
    ...(given.owner !== undefined && { owner: ownerOf(neededText(given.owner, 'owner', 100)) }),
    ...(given.comment !== undefined && { comment: neededText(given.comment, 'comment', 500) }),
  }
}

/** Loads the compilers at the first use: they bring regular expressions and time zones. */
const loadPolicy = () =>
  Promise.all([
    import('../../../../src/policy/condition.ts'),
    import('../../../../src/policy/matcher.ts'),
    import('../../../../src/policy/silences/silence.ts'),
    import('../../../../src/policy/silences/matcher-words.ts'),
    import('../../../../src/policy/describe.ts'),
  ])

function within<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw new CodedError('bad_parameter', `${name} ${errorText(error)}`)
  }
}

/** Reads the conditions of a silence by field. Throws `bad_parameter`. */
function matchOf(match: unknown): readonly ConditionSettings[] {
  const fields = Object.entries(objectOf(match ?? {}, 'match'))
  return fields.map(([field, value]) => ({
    field,
    values: typeof value === 'string' ? [value] : textsOf(value, `match.${field}`),
    where: '',
  }))
}

function textsOf(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) return value
  throw new CodedError('bad_parameter', `${name} must be a list of texts`)
}

async function scheduleOf(value: unknown): Promise<ScheduleSettings> {
  if (!Array.isArray(value) || value.length === 0) throw new CodedError('bad_parameter', 'schedule must be a list')
  const { compileWindow } = await import('../../../../src/policy/schedule.ts')
  return value.map((each: unknown, at) => {
    const name = `schedule.${at}`
    const { cron, rrule, start, for: length, time_zone = 'UTC' } = objectOf(each, name)
    if ((cron === undefined) === (rrule === undefined))
      throw new CodedError('bad_parameter', `${name} must have a "cron" or an "rrule", and not both`)
    const window = {
      forMs: durationOf(length, `${name}.for`),
      timeZone: textOf(time_zone, `${name}.time_zone`),
      ...(cron !== undefined && { cron: textOf(cron, `${name}.cron`) }),
      ...(rrule !== undefined && { rrule: textOf(rrule, `${name}.rrule`) }),
      ...(start !== undefined && { start: textOf(start, `${name}.start`) }),
    }
    within(name, () => compileWindow(window).nextStart(0))
    return window
  })
}

function endOf({ ends_at, for: length }: Payload, from: number): number {
  if ((ends_at === undefined) === (length === undefined))
    throw new CodedError('bad_parameter', 'one of ends_at and for must be given')
  return ends_at === undefined ? from + durationOf(length, 'for') : timeOf(ends_at, 'ends_at')
}

function textOf(value: unknown, name: string): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  throw new CodedError('bad_parameter', `${name} must be text`)
}

function ownerOf(given: unknown): string {
  const owner = textOf(given, 'owner')
  if (owner === '' || personOf(owner) !== undefined) return owner
  throw new CodedError('bad_parameter', 'owner must be a name; those that begin with mcp: are of tokens')
}

function neededText(value: unknown, name: string, max: number): string {
  const text = textOf(value, name)
  if (text.trim() === '' || text.length > max)
    throw new CodedError('bad_parameter', `${name} must be text of 1 to ${max} characters`)
  return text
}

function flagOf(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new CodedError('bad_parameter', `${name} must be true or false`)
}

const UNIT_MS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

function durationOf(value: unknown, name: string): number {
  if (typeof value !== 'string' || !/^(?:\d{1,5}[mhd])+$/.test(value))
    throw new CodedError('bad_parameter', `${name} must be a time such as 90m, 2h or 1d12h`)
  return Array.from(value.matchAll(/(\d+)([mhd])/g)).reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS.get(unit) ?? 0),
    0,
  )
}
