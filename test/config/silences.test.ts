import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'

const DAY = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
const PATCHES = {
  name: 'patches',
  match: { service: ['db-*', 'storage'] },
  schedule: [{ cron: '0 2 * * TUE', for: '2h', time_zone: 'Europe/Berlin' }],
  until: iso(Date.now() + 100 * DAY),
  owner: 'storage team',
  comment: 'weekly patches',
}
const ONCE = {
  ...{ name: 'move', match: { 'labels.rack': 'r7' }, owner: 'Anna', comment: 'a rack moves' },
  ...{ starts_at: '2027-06-30T02:00Z', ends_at: '2027-06-30T04:00+02:00' },
}

function load(...silences: readonly object[]) {
  const readFile = () => JSON.stringify({ silences })
  return loadConfig({ file: 'config.json', env: {}, readFile })
}

function refusal(...silences: readonly object[]): string {
  try {
    load(...silences)
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
  }
  return ''
}

test('a silence recurs, or has one window', () => {
  const { silences } = load(PATCHES, { ...ONCE, ends_at: '2027-06-30T06:00+02:00' }).config
  assert.deepEqual(
    silences.map(({ name, conditions, schedule }) => [name, conditions.map(({ field }) => field), schedule?.length]),
    [
      ['patches', ['service'], 1],
      ['move', ['labels.rack'], undefined],
    ],
  )
  assert.deepEqual([silences[1]?.startsAt, silences[1]?.endsAt], [Date.UTC(2027, 5, 30, 2), Date.UTC(2027, 5, 30, 4)])
  assert.match(silences[0]?.where ?? '', /^config\.json:1/)
})

test('a cause holds what has the same labels', () => {
  const { schedule: _schedule, ...rest } = PATCHES
  const { silences } = load({ ...rest, while: { match: { service: 'core-switch' }, equal: ['host', 'job'] } }).config
  assert.deepEqual(silences[0]?.equal, ['host', 'job'])
})

test('a silence is in force while a problem fires', () => {
  const { schedule: _, ...rest } = PATCHES
  const { silences } = load({ ...rest, while: { match: { service: 'core-switch', min_severity: 'high' } } }).config
  const [{ while: causes, schedule, endsAt } = {}] = silences
  assert.deepEqual(
    causes?.map(({ field, values, where }) => [field, values, /^config\.json:1/.test(where)]),
    [
      ['service', ['core-switch'], true],
      ['min_severity', ['high'], true],
    ],
  )
  assert.deepEqual([schedule, endsAt], [undefined, Date.parse(PATCHES.until)])
})

const RESOLVED = { ...ONCE, ends_at: undefined, until: 'resolved' }

test('a silence ends when its problems are resolved, and after a longest time', () => {
  const [begin, hour] = [Date.UTC(2027, 5, 30, 2), 3_600_000]
  const readOf = (silence: object) => {
    const [{ untilResolved, quietMs, endsAt = 0 } = {}] = load(silence).config.silences
    return [untilResolved, quietMs, endsAt - begin]
  }
  assert.deepEqual(readOf(RESOLVED), [true, undefined, 24 * hour])
  assert.deepEqual(readOf({ ...RESOLVED, quiet_for: '1h', max: '7d' }), [true, hour, 7 * 24 * hour])
  const older = { ...ONCE, ends_at: '2027-06-30T04:00Z', until_resolved: true }
  assert.deepEqual(readOf(older), [true, undefined, 2 * hour])
})

const CAUSED = { ...PATCHES, schedule: undefined, while: { match: { service: 'core-switch' } } }

const FAULTS: readonly (readonly [what: string, silence: object, says: RegExp])[] = [
  ['no condition', { ...PATCHES, match: {} }, /match: fits every incident/],
  ['a condition that fits everything', { ...PATCHES, match: { service: '*' } }, /match: fits every incident/],
  [
    'conditions that fit everything',
    { ...PATCHES, match: { service: '/.*/', title: '*' } },
    /match: fits every incident/,
  ],
  [
    'conditions that are too long',
    { ...PATCHES, match: { service: 'a'.repeat(17_000) } },
    /match: must be at most 16384/,
  ],
  [
    'recurring until all is resolved',
    { ...PATCHES, until_resolved: true },
    /until_resolved: has no place beside a schedule/,
  ],
  [
    'more values than an incident can be compared with',
    { ...PATCHES, match: { service: Array.from({ length: 1_001 }, (_, at) => `db-${at}`) } },
    /match: has more than 1000 values/,
  ],
  ['no owner', { ...PATCHES, owner: '' }, /owner: must be a person or a team/],
  ['no comment', { ...PATCHES, comment: ' ' }, /comment: must say why/],
  ['an end before the begin', ONCE, /ends_at: must be after the begin/],
  ['a window above 30 days', { ...ONCE, ends_at: '2027-08-01T00:00Z' }, /ends_at: must be at most 30 days/],
  ['no end', { ...PATCHES, until: undefined }, /until: is missing/],
  ['an end above a year ahead', { ...PATCHES, until: iso(Date.now() + 400 * DAY) }, /until: must be at most one year/],
  ['a cause without conditions', { ...CAUSED, while: {} }, /until: is for a silence with a "schedule" or a "while"/],
  ['a cause of any kind', { ...CAUSED, while: { match: { service: '*' } } }, /while: fits every incident/],
  ['a cause that is all it holds', { ...CAUSED, match: { service: 'core-switch' } }, /while: fits all that match fits/],
  ['a cause beside a schedule', { ...CAUSED, schedule: PATCHES.schedule }, /while: has no place beside a schedule/],
  ['a cause beside an end', { ...CAUSED, ends_at: '2027-06-30T04:00Z' }, /ends_at: has no place beside/],
  ['a cause without an end for good', { ...CAUSED, until: undefined }, /until: is missing/],
  ['no time to be quiet for', { ...ONCE, quiet_for: '5m' }, /quiet_for: belongs to "until: resolved"/],
  ['too short a time to be quiet for', { ...RESOLVED, quiet_for: '59s' }, /quiet_for: must be a time from 1m to 24h/],
  ['too long a silence until resolved', { ...RESOLVED, max: '31d' }, /max: must be at most 30 days after the begin/],
  ['two ends', { ...RESOLVED, ends_at: '2027-06-30' }, /ends_at: has no place beside "until: resolved": write max/],
  ['a longest time of another silence', { ...ONCE, max: '2h' }, /max: belongs to "until: resolved"/],
  ['a cause until all is resolved', { ...CAUSED, until_resolved: true }, /until_resolved: has no place beside a while/],
  ['an unknown field of a cause', { ...CAUSED, while: { match: { host: 'a' } } }, /while\.match\.host: is not a field/],
  ['an empty field of a cause', { ...CAUSED, while: { match: { service: null } } }, /while\.match\.service: is empty/],
  ['an unknown key of a cause', { ...CAUSED, while: { matcher: { service: 'a' } } }, /while\.matcher/],
  ['labels without a cause', { ...PATCHES, while: { equal: ['host'] } }, /while\.equal: needs a match beside it/],
  [
    'a label twice',
    { ...CAUSED, while: { ...CAUSED.while, equal: ['a', 'a'] } },
    /while\.equal: must be names of labels/,
  ],
  ['labels that are no list', { ...CAUSED, while: { ...CAUSED.while, equal: 'a' } }, /while\.equal: must be a list/],
  ['a cause that is no map', { ...CAUSED, while: 'core-switch' }, /while: must be a map with a match/],
  ['two kinds of end', { ...PATCHES, ends_at: '2027-06-30T04:00Z' }, /ends_at: has no place beside/],
  ['no time', { ...ONCE, ends_at: 'tomorrow' }, /ends_at: must be a time such as/],
  ['an unknown field', { ...PATCHES, match: { host: 'a' } }, /match\.host: is not a field/],
  ['a wrong schedule', { ...PATCHES, schedule: [{ cron: 'x', for: '2h' }] }, /schedule\.0\.cron/],
]

for (const [what, silence, says] of FAULTS)
  test(`refused: ${what}`, () => {
    assert.match(refusal(silence), says)
  })

test('two silences cannot share a name', () => {
  assert.match(refusal(PATCHES, PATCHES), /silences\.1\.name: is also the name of silences\.0/)
})

test('a silence that is over is warned of', () => {
  const over = { ...ONCE, starts_at: '2020-06-30T02:00Z', ends_at: '2020-06-30T04:00Z' }
  assert.match(load(over).warnings.join(), /move is over and has no effect: delete it/)
})
