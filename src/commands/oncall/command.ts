import { loadConfig } from '../../config/load.ts'
import { localOf } from '../../policy/oncall/local-time.ts'
import { requiredDuration } from '../../settings/fields.ts'
import { timeWithZone } from '../../text/iso-time.ts'
import { UsageError } from '../command.ts'
import { defineCommand } from '../define-command.ts'
import { print } from '../noise/answer.ts'
import { SERVICE, serviceOf } from '../service.ts'
import type { Question, When } from './report.ts'
import type { override } from './service.ts'

/** How far changes are looked for without `--for`. */
const CHANGES_MS = 60 * 86_400_000

export const oncall = defineCommand({
  name: 'oncall',
  summary: 'print who is on call by the schedules of the configuration',
  about: `Prints for each schedule of oncall.schedules who is on call and why, who is next, and the first gap of the next 30 days. It reads the
configuration; with --url it asks a running service, which has the overrides that clients made. With --against it lists each stretch whose person the configuration changes, and exits with 1
when the shift that runs or one of the last 30 days is among them.

oncall override primary --person cleo --until 2026-12-27T09:00 --reason holidays [--from ...] [--instead-of ada] [--by Ben]
oncall override end 7
oncall test ada

test sends a marked test message to a person by each way, one after the other, and says which arrived; it exits with 1 when one did not.
It and an override ask a running service. Times are local ones of the schedule, or have a zone.`,
  word: '[override ... | test PERSON]',
  options: {
    at: { value: 'TIME', description: '2026-12-24T20:00 in the zone of each schedule, or with a zone; default: now' },
    for: { value: 'TIME', description: 'all shifts of this time, such as 14d; with --against how far to look, 60d' },
    person: {
      value: 'KEY',
      description:
        'only the shifts of one person, a key of people, of 30 days without --for; of override: who takes over',
    },
    from: { value: 'TIME', description: 'of override: its begin; default: now' },
    until: { value: 'TIME', description: 'of override: its end' },
    'instead-of': { value: 'KEY', description: 'of override: only what would be the shifts of this person' },
    reason: { value: 'TEXT', description: 'of override: why' },
    by: { value: 'NAME', description: 'of override: the person who makes or ends it' },
    json: { description: 'print JSON, with times in UTC' },
    ...SERVICE,
    against: { value: 'FILE', description: 'the configuration before the change' },
    allow: { description: 'with --against: exit with 0 whatever changes' },
  },
  async run(asked, [action, ...words]) {
    if (action !== undefined) return runAction(action, words, asked)
    const when = whenOf(asked.at)
    const forMs = asked.for === undefined ? undefined : msOf(asked.for)
    if (asked.url !== undefined) return printService(asked, { when, forMs, person: asked.person })
    const { config } = loadConfig({ file: asked.config, env: process.env })
    const { people, oncallSchedules: schedules } = config
    if (asked.person !== undefined && !people.has(asked.person))
      throw new UsageError(`--person must be a key of people: ${[...people.keys()].join(', ') || 'none is listed'}`)
    const show = (answer: object, lines: readonly string[]) =>
      console.log(asked.json ? JSON.stringify({ zone_data: process.versions.tz, ...answer }) : lines.join('\n'))
    if (asked.against === undefined) {
      const { reportLines, reportOf } = await import('./report.ts')
      const report = reportOf(schedules, { people, when, forMs, person: asked.person })
      show({ schedules: report }, [...reportLines(report), `time zone data ${process.versions.tz}`])
      return 0
    }
    const { changeLines, changesOf } = await import('./changes.ts')
    const before = loadConfig({ file: asked.against, env: process.env }).config.oncallSchedules
    const changes = changesOf({ before, after: schedules }, { when, forMs: forMs ?? CHANGES_MS })
    const found = changes.filter(({ was, is }) => asked.person === undefined || [was, is].includes(asked.person))
    show({ changes: found }, [...changeLines(found), `time zone data ${process.versions.tz}`])
    return found.some(({ settled }) => settled) && !asked.allow ? 1 : 0
  },
})

type Service = Parameters<typeof serviceOf>[0] & { readonly json: boolean }

async function printService(asked: Service, question: Omit<Question, 'people'>): Promise<number> {
  const [{ reportLines }, { reportOfService }] = await Promise.all([import('./report.ts'), import('./service.ts')])
  const schedules = await reportOfService(serviceOf(asked), question)
  print(asked.json, { schedules }, () => reportLines(schedules))
  return 0
}

async function runAction(
  action: string,
  words: readonly string[],
  asked: Service & Parameters<typeof override>[2],
): Promise<number> {
  if (action !== 'override' && action !== 'test')
    throw new UsageError(`oncall takes override, test, or no word; see tocsin oncall --help`)
  const actions = await import('./service.ts')
  if (action === 'test') {
    const tested = await actions.testWays(serviceOf(asked), words)
    print(asked.json, { ways: tested }, () => actions.testLines(tested))
    return tested.every(({ ok }) => ok) ? 0 : 1
  }
  const made = await actions.override(serviceOf(asked), words, asked)
  print(asked.json, made, () => [actions.overrideLine(made)])
  return 0
}

function whenOf(written: string | undefined): When {
  if (written === undefined) return { instant: Date.now() }
  const [local, instant] = [localOf(written), timeWithZone(written)]
  if (local !== undefined) return { local }
  if (Number.isNaN(instant)) throw new UsageError('--at must be a time such as 2026-12-24T20:00 or 2026-12-24T20:00Z')
  return { instant }
}

const MINUTE_MS = 60_000

function msOf(written: string): number {
  const parsed = requiredDuration(MINUTE_MS).safeParse(written)
  if (!parsed.success) throw new UsageError('--for must be a time from 1m to 365d, such as 14d')
  return parsed.data
}
