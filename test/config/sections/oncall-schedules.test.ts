import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverage } from '../../../src/config/checks/coverage.ts'
import { line } from '../../../src/config/config-error.ts'
import { DAY_MS, HOUR_MS } from '../../../src/policy/oncall/settings.ts'
import { issueOf, load } from '../setup.ts'

const HEAD = 'people: { ada: , ben: , cleo: }\noncall:\n  schedules:\n'
/** The schedule begins on line 4, its layers are on line 5. */
const withLayers = (layers: string, more = '') =>
  `${HEAD}    primary:\n      layers: [${layers}]\n      time_zone: Europe/Berlin\n${more}`
const WEEKS = '{ start: 2026-01-05, at: "09:00", every: 1 week, members: [ada, ben] }'
const layerOf = (yaml: string) => load(withLayers(yaml)).config.oncallSchedules.get('primary')?.layers[0]

test('nothing is asked of a file: there are no schedules', () => {
  assert.deepEqual(load('').config.oncallSchedules, new Map())
})

test('a layer has its lists of members by date, and its place in the file', () => {
  const start = Date.UTC(2026, 0, 5)
  assert.deepEqual(
    layerOf('{ start: 2026-01-05, at: "09:00", every: 2 weeks, members: { 2026-02-02: [ben], 2026-01-05: [ada] } }'),
    {
      ...{ name: '1', where: 'config.yaml:5', start: start + 9 * HOUR_MS, every: { count: 2, unit: 'week' }, on: [] },
      turns: 'calendar',
      editions: [
        { date: start, members: ['ada'] },
        { date: start + 28 * DAY_MS, members: ['ben'] },
      ],
    },
  )
})

test('windows are days, hours of days, and stretches of the week', () => {
  const on = (written: string) =>
    layerOf(`{ start: 2026-01-05, every: 1 day, on: ["${written}"], members: [ada] }`)?.on.map(({ from, until }) => [
      from / HOUR_MS,
      until / HOUR_MS,
    ])
  assert.deepEqual(on('Tue'), [[24, 48]])
  assert.deepEqual(on('Sat,Sun 09:00-17:00'), [
    [129, 137],
    [153, 161],
  ])
  assert.deepEqual(on('Sun-Mon 20:00-08:00'), [
    [164, 176],
    [20, 32],
  ])
  assert.deepEqual(on('Fri 18:00 - Mon 08:00'), [[114, 176]])
})

const FAULTS: readonly [layer: string, issue: RegExp][] = [
  ['{ every: 1 day, members: [ada] }', /^config\.yaml:5: oncall\.schedules\.primary\.layers\.0\.start: must be a date/],
  ['{ start: 2026-02-30, every: 1 day, members: [ada] }', /start: must be a date/],
  ['{ start: 2026-02-03T09:00, every: 1 day, members: [ada] }', /start: must be a date/],
  ['{ start: 2026-02-03, at: 9, every: 1 day, members: [ada] }', /at: must be a time of day/],
  ['{ start: 2026-02-03, every: 13 months, members: [ada] }', /every: must be hours, days, weeks or months/],
  ['{ start: 2026-02-03, every: 1 day, on: [Monday], members: [ada] }', /on\.0: must be like "Mon-Fri"/],
  ['{ start: 2026-02-03, every: 1 day, members: [] }', /members: must be a list of 1 to 100 people/],
  [
    '{ start: 2026-02-03, every: 1 day, members: { 2026-02-01: [ada] } }',
    /members: must be .* first has the date of start/,
  ],
  ['{ start: 2026-02-03, every: 1 day, members: { today: [ada] } }', /members\.today: must be a date/],
  ['{ start: 2026-02-03, until: 2026-02-03, every: 1 day, members: [ada] }', /until: must be after the start/],
  [
    '{ start: 2026-02-03, every: 1 day, members: [adda] }',
    /^config\.yaml:5: .*members\.0: "adda" is not the name of a person; did you mean "ada"\?/,
  ],
  [
    '{ name: a, start: 2026-02-03, every: 1 day, members: { 2026-02-03: [x] } }',
    /members\.2026-02-03\.0: "x" is not the name of a person/,
  ],
  [
    `{ name: a, ${WEEKS.slice(1)}, { name: a, ${WEEKS.slice(1)}`,
    /layers\.1\.name: is also the name of oncall\.schedules\.\w+\.layers\.0/,
  ],
]

for (const [text, issue] of FAULTS)
  test(`refuses ${text}`, () => {
    assert.match(issueOf(withLayers(text)), issue)
  })

test('refuses overrides of unknown people, those that end before they begin, and a person named nobody', () => {
  const override = (text: string) => withLayers(WEEKS, `      overrides: [{ from: 2026-01-06, ${text} }]\n`)
  assert.match(issueOf(override('until: 2026-01-06, person: ada')), /overrides\.0\.until: must be after from/)
  assert.match(
    issueOf(override('until: 2026-01-07, person: dora')),
    /^config\.yaml:7: .*overrides\.0\.person: "dora" is not/,
  )
  assert.match(issueOf(override('until: 2026-01-07, person: nobody, instead_of: x')), /instead_of: "x" is not/)
  assert.match(
    issueOf(withLayers(WEEKS).replace('cleo', 'nobody')),
    /people\.nobody: has the name that stands for no person/,
  )
  assert.match(issueOf(withLayers(WEEKS).replace('Europe/Berlin', 'Europe/Berlim')), /time_zone: is not a time zone/)
})

/** Returns the errors and warnings of check on 1 October 2026. */
function found(yaml: string) {
  const { config, warnings } = load(yaml)
  assert.deepEqual(warnings, [])
  const { errors, ...rest } = coverage(config, Date.UTC(2026, 9, 1))
  return { errors: errors.map(line), warnings: rest.warnings.map(line) }
}

test('check finds nothing in a schedule without a gap', () => {
  assert.deepEqual(found(withLayers(WEEKS)), { errors: [], warnings: [] })
})

test('check finds the first gap of the next 400 days, on the line of the schedule, unless gaps are allowed', () => {
  const ends = withLayers('{ start: 2026-01-05, until: 2026-12-01, every: 1 week, members: [ada, ben] }')
  assert.deepEqual(found(ends).errors, [
    'config.yaml:4: oncall.schedules.primary: nobody is on call from 2026-12-01 00:00 until 2027-11-05 01:00, in the next 400 days: add a layer, or set gaps: allowed',
  ])
  const lunch = '{ start: 2026-01-05, every: 1 day, on: ["Mon-Sun 13:00-12:00"], members: [ada, ben] }'
  assert.match(
    found(withLayers(lunch)).errors[0] ?? '',
    /from 2026-10-01 12:00 until 2026-10-01 13:00, and 399 more, in/,
  )
  assert.deepEqual(found(`${ends}      gaps: allowed\n`).errors, [])
})

test('a gap counts where an escalation uses the schedule, and is a warning elsewhere', () => {
  const CHAT = 'alert: { chatws: { enable: true, token: t, channel_id: C0 } }\n'
  const ends = '{ start: 2026-01-05, until: 2026-12-01, every: 1 week, members: [ada, ben] }'
  const withEscalation = (notify: string, more = '') => {
    const yaml = withLayers(ends).replace('ada: , ben: ,', 'ada: &way { ways: [{ chatws: U0123ABCD }] }, ben: *way,')
    const escalations = `  escalations: { office: { steps: [{ notify: ${notify} }, { after: 5m, notify: [person:ada] }] } }`
    const { config } = load(`${CHAT}${yaml}${escalations}\n  ${more}\n`)
    return coverage(config, Date.UTC(2026, 9, 1))
  }
  const used = withEscalation('[schedule:primary]')
  assert.match(used.errors.map(line).join(), /primary: nobody is on call from 2026-12-01 00:00/)
  assert.deepEqual(used.warnings.map(line), [
    'config.yaml:8: oncall.escalations.office: every step asks ada and no other person from 2026-10-01T00:00:00.000Z on, and 5 more',
  ])
  const other = withEscalation('[person:ben]')
  const provider = withEscalation('[schedule:primary, provider:webhook]', 'webhook: { url: https://x.example }')
  assert.deepEqual(provider.warnings, [])
  assert.deepEqual(other.errors, [])
  assert.match(other.warnings.map(line).join(), /primary: nobody is on call from 2026-12-01 00:00/)
})

test('check warns of what works and is probably not meant', () => {
  const warnings = (layers: string, more?: string) => found(withLayers(layers, more)).warnings.join('\n')
  assert.match(
    warnings('{ start: 2026-01-05, every: 1 week, members: [ada] }'),
    /has one person, ada, for all of the time/,
  )
  assert.match(
    warnings(`${WEEKS}, { start: 2026-01-05, every: 1 week, members: [cleo, ada] }`),
    /layers\.1: cleo has no shift in the next 400 days/,
  )
  assert.match(warnings(`${WEEKS}, ${WEEKS}`), /layers\.1: decides nothing in the next 400 days/)
  assert.match(
    warnings('{ start: 2026-01-04, at: "02:30", every: 1 week, members: [ada, ben] }'),
    /layers\.0: clocks skip the handover of 2027-03-28 02:30: it is at 2027-03-28 03:00/,
  )
  assert.match(
    warnings(
      '{ start: 2026-01-05, at: "09:00", every: 1 week, members: { 2026-01-05: [ada, ben], 2026-10-06: [ben, ada] } }',
    ),
    /the list of 2026-10-06 counts from 2026-10-12 09:00, the next handover/,
  )
  const over = '{ from: 2026-01-06, until: 2026-01-07, person: cleo }'
  const coming =
    '{ from: 2026-11-06, until: 2026-11-08, person: cleo }, { from: 2026-11-07, until: 2026-11-09, person: ben }'
  const found2 = warnings(WEEKS, `      overrides: [${over}, ${coming}]\n`)
  assert.match(found2, /overrides\.0: is over and has no effect/)
  assert.match(
    found2,
    /overrides\.2: overlaps override 2 of the list \(config\.yaml:7\): where both count, this one wins/,
  )
})
