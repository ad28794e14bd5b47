import type {
  OncallOverride,
  OncallOverview,
  OncallShift,
  OncallShiftList,
  OncallTestAnswer,
} from '../../api/oncall/schedules.ts'
import { isoTime } from '../../text/iso-time.ts'
import { ServiceError, UsageError } from '../command.ts'
import { alignedLines } from '../noise/columns.ts'
import { callApi, type Service } from '../service.ts'
import { instantIn, LOOKED_MS, localTexts, type Question, type ShownSchedule, type ShownShift } from './report.ts'

const PATH = '/api/admin/oncall'

/** Returns the answer of a running service: with overrides that clients made, and what is over as it was. */
export async function reportOfService(service: Service, question: Omit<Question, 'people'>): Promise<ShownSchedule[]> {
  const { when, forMs, person } = question
  const { schedules, people } = await callApi<OncallOverview>(service, PATH)
  if (person !== undefined && !people.some(({ key }) => key === person))
    throw new UsageError(`--person must be a key of people: ${people.map(({ key }) => key).join(', ')}`)
  const isBrief = forMs === undefined && person === undefined
  return Promise.all(
    schedules.map(async ({ name, time_zone, first_gap }) => {
      const from = instantIn(time_zone, when)
      const query = new URLSearchParams({ from: isoTime(from), until: isoTime(from + (forMs ?? LOOKED_MS)) })
      const { shifts } = await callApi<OncallShiftList>(service, `${PATH}/schedules/${name}/shifts?${query}`)
      const texts = localTexts(time_zone)
      const shown = ({ recorded: _recorded, ...shift }: OncallShift): ShownShift => ({
        ...shift,
        local: texts({ from: edgeOf(shift.from), until: edgeOf(shift.until) }),
      })
      const asked = shifts.filter((shift) => person === undefined || shift.person === person)
      return {
        schedule: name,
        time_zone,
        shifts: (isBrief ? asked.slice(0, 2) : asked).map(shown),
        first_gap: first_gap === null ? null : texts({ from: edgeOf(first_gap.from), until: edgeOf(first_gap.until) }),
      }
    }),
  )
}

const edgeOf = (edge: string | null) => (edge === null ? Number.POSITIVE_INFINITY : Date.parse(edge))

interface Given {
  readonly person: string | undefined
  readonly from: string | undefined
  readonly until: string | undefined
  readonly reason: string | undefined
  readonly by: string | undefined
  readonly 'instead-of': string | undefined
}

/** Makes an override, or ends one: `primary`, or `end 7`. */
export async function override(service: Service, words: readonly string[], given: Given): Promise<OncallOverride> {
  const { person, from, until, reason, by, 'instead-of': instead_of } = given
  const [schedule, number = '', ...more] = words
  if (schedule === 'end') {
    if (more.length > 0 || !/^\d+$/.test(number)) throw new UsageError('override end takes the number of one override')
    const query = by === undefined ? '' : `?${new URLSearchParams({ by })}`
    return callApi(service, `${PATH}/overrides/${number}${query}`, { method: 'DELETE' })
  }
  if (schedule === undefined || number !== '') throw new UsageError('override takes the name of one schedule')
  if (person === undefined || until === undefined || reason === undefined)
    throw new UsageError('override needs --person, --until and --reason')
  const json = Object.fromEntries(
    Object.entries({ schedule, person, from, until, instead_of, by, reason }).filter(([, each]) => each !== undefined),
  )
  return callApi(service, `${PATH}/overrides`, { method: 'POST', json })
}

/** Sends a test message by each way of a person; one after the other, so that nobody gets all at once. */
export async function testWays(service: Service, [key = '', ...more]: readonly string[]): Promise<OncallTestAnswer[]> {
  if (key === '' || more.length > 0) throw new UsageError('test takes the key of one person')
  const { people } = await callApi<OncallOverview>(service, PATH)
  const person = people.find((each) => each.key === key)
  if (person === undefined || person.ways.length === 0)
    throw new UsageError(
      person === undefined
        ? `the person must be a key of people: ${people.map((each) => each.key).join(', ') || 'none is listed'}`
        : `${key} has no way, or no escalation is configured`,
    )
  const tested: OncallTestAnswer[] = []
  for (const [at, { way }] of person.ways.entries())
    tested.push(
      await callApi<OncallTestAnswer>(service, `${PATH}/people/${key}/ways/${at + 1}/test`, { method: 'POST' }).catch(
        (error) => {
          if (!(error instanceof ServiceError) || error.status === undefined) throw error
          return { person: key, way, ok: false, detail: error.message, duration_ms: 0 }
        },
      ),
    )
  return tested
}

export const testLines = (tested: readonly OncallTestAnswer[]): string[] =>
  alignedLines(
    tested.map(({ way, ok, detail, duration_ms }, at) => [
      ...[`${at + 1}`, way, ok ? 'arrived' : 'FAILED', `${Math.round(duration_ms)} ms`, detail],
    ]),
  )

export function overrideLine({ id, schedule, name, from, until, ended_at }: OncallOverride): string {
  if (ended_at !== null) return `override ${id} of ${schedule} has ended`
  return `override ${id}: ${name ?? 'nobody'} is on call for ${schedule} from ${from} to ${until}`
}
