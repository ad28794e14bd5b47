import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsalResult } from '../../../src/api/noise/rehearsal.ts'
import type { SilenceSettings } from '../../../src/policy/silences/settings.ts'
import { bootFor, DAY_MS, HOUR_MS, incident, rehearsed, START } from './setup.ts'

const PAYMENTS = {
  name: 'payments',
  match: { service: 'pay*', min_severity: 'critical' },
  to: [{ chatws: 'payments' }],
}
const CHATTER = { name: 'chatter', match: { service: 'pay*' }, to: 'none', oncall: { enable: false } }

/** A day in which every seventh incident is critical and of payments. */
const DAY = Array.from({ length: 98 }, (_, nth) =>
  incident(nth + 1, START + (nth * DAY_MS) / 98, nth % 7 === 0 ? { service: 'payments', severity: 'critical' } : {}),
)
const CRITICALS = DAY.filter(({ draft }) => draft.severity === 'critical').map(({ draft }) => draft.id)

test('a configuration that drops the route of critical incidents loses exactly these', async () => {
  const before = bootFor({ routes: [PAYMENTS, CHATTER] })
  const { changes, lost_criticals, history, proposed } = await rehearsed(before, bootFor({ routes: [CHATTER] }), DAY)
  assert.equal(lost_criticals, 14)
  assert.deepEqual(
    changes.map(({ kind, level, count }) => ({ kind, level, count })),
    [{ kind: 'lost', level: 'critical', count: 14 }],
  )
  assert.deepEqual(
    changes[0]?.incidents.map(({ id }) => id),
    CRITICALS,
  )
  assert.deepEqual(changes[0]?.incidents[0], {
    ...{ id: CRITICALS[0], title: 'incident 1', service: 'payments', severity: 'critical' },
    ...{ at: new Date(START).toISOString(), before: ['chatws:payments', 'on-call'], after: [] },
  })
  assert.equal(history.incidents, 98)
  assert.equal(proposed.nobody, 14)
})

test('the configuration in force changes nothing', async () => {
  const boot = bootFor({ routes: [PAYMENTS, CHATTER] })
  const { changes, lost_criticals, in_force, proposed } = await rehearsed(boot, boot, DAY)
  assert.deepEqual(changes, [])
  assert.equal(lost_criticals, 0)
  assert.deepEqual(proposed, in_force)
})

test('messages, pages, hits and rules without a hit are counted for each configuration', async () => {
  const never = { name: 'never', match: { service: 'nothing' }, to: ['email'] }
  const { in_force, proposed } = await rehearsed(bootFor({ routes: [PAYMENTS] }), bootFor({ routes: [never] }), DAY)
  assert.deepEqual(
    in_force.rules.map(({ name, hits }) => [name, hits]),
    [['payments', 14]],
  )
  assert.equal(in_force.unmatched, 84)
  assert.deepEqual(
    proposed.rules.map(({ name, hits }) => [name, hits]),
    [['never', 0]],
  )
  assert.equal(in_force.pages, 98)
  assert.deepEqual(singlesOf(in_force), { 'chatws:payments': 14, chatws: 84, email: 84 })
  assert.deepEqual(singlesOf(proposed), { chatws: 98, email: 98 })
})

test('a problem that flaps pages once and is told by a digest, and nobody misses it', async () => {
  const MINUTE_MS = HOUR_MS / 60
  const history = Array.from({ length: 40 }, (_, nth) => {
    const at = START + Math.floor(nth / 2) * 7 * MINUTE_MS + (nth % 2) * 6 * MINUTE_MS
    const status = nth % 2 === 0 ? 'firing' : 'resolved'
    return incident(nth + 1, at, { fingerprint: 'f', severity: 'critical', sender: 'error_tracker', status })
  })
  const flapping = bootFor({ noise: { flapping: { enable: true } } })
  const { in_force, proposed, changes, lost_criticals } = await rehearsed(bootFor({}), flapping, history)
  assert.deepEqual([in_force.pages, in_force.joined, singlesOf(in_force).chatws], [20, 0, 40])
  assert.deepEqual([proposed.pages, proposed.joined, singlesOf(proposed).chatws], [3, 17, 5])
  const [chat] = proposed.destinations
  assert.deepEqual([chat?.channel, chat?.by_digest, chat?.waiting, chat?.digests], ['chatws', 35, 0, 1])
  assert.deepEqual([changes, lost_criticals], [[], 0])
})

function singlesOf({ destinations }: RehearsalResult['in_force']): { [name: string]: number } {
  return Object.fromEntries(
    destinations.map(({ channel, target, by_message }) => [
      target === null ? channel : `${channel}:${target}`,
      by_message,
    ]),
  )
}

test('a rehearsal shows groups: which alerts are messages, and what is posted or edited for the others', async () => {
  const [MINUTE_MS, hosts] = [HOUR_MS / 60, ['a', 'b', 'c', 'd']]
  const alerts = [...hosts.map((host) => ['db', host, 'firing']), ...hosts.map((host) => ['db', host, 'resolved'])]
  const lone = ['web', 'mail'].map((service) => [service, 'x', 'firing'])
  const history = [...alerts, ...lone].map(([service = '', host, status], nth) =>
    incident(nth + 1, START + nth * MINUTE_MS, {
      ...{ service, fingerprint: `${service} ${host}`, sender: 'custom' },
      status: status === 'resolved' ? status : 'firing',
    }),
  )
  const grouping = bootFor({ noise: { group: { by: ['service'] } } })
  const { in_force, proposed, changes } = await rehearsed(bootFor({}), grouping, history)
  const told = ({ destinations }: RehearsalResult['in_force']) =>
    destinations.map(({ channel, by_message, by_digest, digests, updates, edits, waiting }) => [
      ...[channel, by_message, by_digest, digests],
      ...[updates - edits, edits, waiting],
    ])
  assert.deepEqual(told(in_force), [
    ['chatws', 10, 0, 0, 0, 0, 0],
    ['email', 10, 0, 0, 0, 0, 0],
  ])
  // The first alert, the end and both lone ones are messages; the chat edits, and mail is posted after 30 s, then every 5 min.
  assert.deepEqual(told(proposed), [
    ['chatws', 4, 6, 1, 0, 6, 0],
    ['email', 4, 6, 1, 2, 0, 0],
  ])
  assert.deepEqual([changes, proposed.pages], [[], in_force.pages])
})

test('a storm of the history becomes digests, and without storms messages wait for the rate', async () => {
  const flood = Array.from({ length: 300 }, (_, nth) => incident(nth + 1, START + nth, { fingerprint: `f${nth % 5}` }))
  const off = bootFor({ noise: { storm: { enable: false } } })
  const { in_force, proposed, changes } = await rehearsed(bootFor({}), off, flood)
  const chat = (run: RehearsalResult['proposed']) => run.destinations.find(({ channel }) => channel === 'chatws')
  assert.ok((chat(in_force)?.by_digest ?? 0) > 200)
  assert.equal(chat(in_force)?.digests, 1)
  assert.ok((chat(in_force)?.notified_max_ms ?? Infinity) <= 60_000)
  assert.deepEqual([chat(proposed)?.by_message, chat(proposed)?.digests], [300, 0])
  // 4 at once, then one a second.
  assert.ok((chat(proposed)?.notified_max_ms ?? 0) > 290_000)
  assert.deepEqual(
    changes.filter(({ kind }) => kind === 'lost' || kind === 'moved'),
    [],
  )
})

test('what people did counts: an acknowledgement in time stops the page, one that comes too late does not', async () => {
  const at = START + HOUR_MS
  const by = 'anna'
  const incidents = [
    incident(1, at, { acknowledged: { at: at + 60_000, by } }),
    incident(2, at, { acknowledged: { at: at + 600_000, by } }),
    incident(3, at, { resolvedAt: at + 60_000 }),
  ]
  const sooner = bootFor({ routes: [{ name: 'all', oncall: { wait_minutes: 0 } }] })
  const { in_force, proposed, changes } = await rehearsed(bootFor({}), sooner, incidents)
  assert.deepEqual([in_force.pages, proposed.pages], [1, 3])
  assert.deepEqual(
    changes.map(({ kind, count, incidents: listed }) => [kind, count, listed.map(({ title }) => title)]),
    [['page_gained', 2, ['incident 1', 'incident 3']]],
  )
})

test('schedules are asked at the time of the incident, and overrides of its request count', async () => {
  const schedules = { office: [{ cron: '0 8 * * *', for: '10h', time_zone: 'UTC' }] }
  const routes = [{ name: 'office', during: 'office', to: ['email'] }]
  const incidents = [
    incident(1, START + 7 * HOUR_MS),
    incident(2, START + 9 * HOUR_MS),
    incident(3, START + 10 * HOUR_MS, { overrides: { oncallEnable: false } }),
  ]
  const { changes, in_force } = await rehearsed(bootFor({}), bootFor({ schedules, routes }), incidents)
  assert.equal(in_force.pages, 2)
  assert.deepEqual(
    changes.map(({ kind, incidents: listed }) => [kind, listed.map(({ title, after }) => [title, after])]),
    [
      [
        'moved',
        [
          ['incident 2', ['email', 'on-call']],
          ['incident 3', ['email']],
        ],
      ],
    ],
  )
})

const PATCHES = {
  ...{ name: 'patches', match: { service: 'pay*' }, owner: 'anna', comment: 'patches' },
  ...{ starts_at: '2030-01-01T02:00Z', ends_at: '2030-01-01T04:00Z' },
}
const PAY = { service: 'payments', severity: 'critical' }
/** While the silence lasts one problem comes and goes, and another one stays. */
const PATCH_NIGHT = [
  incident(1, START + 2.1 * HOUR_MS, { ...PAY, fingerprint: 'over' }),
  incident(2, START + 2.2 * HOUR_MS, { ...PAY, fingerprint: 'over' }),
  incident(3, START + 2.5 * HOUR_MS, { ...PAY, fingerprint: 'over', status: 'resolved' }),
  incident(4, START + 3 * HOUR_MS, { ...PAY, fingerprint: 'stays' }),
]

test('a new silence loses the critical incidents that it keeps to itself, not those that its end tells of', async () => {
  const { changes, lost_criticals, proposed } = await rehearsed(
    bootFor({}),
    bootFor({ silences: [PATCHES] }),
    PATCH_NIGHT,
  )
  assert.deepEqual(
    changes.map(({ kind, incidents }) => [kind, incidents.map(({ title }) => title)]),
    [['silenced', ['incident 1', 'incident 2', 'incident 3']]],
  )
  assert.equal(lost_criticals, 3)
  assert.deepEqual([proposed.held, proposed.pages], [3, 1])
  assert.deepEqual(
    proposed.destinations.map(({ channel, by_message, held, notified_max_ms }) => [
      channel,
      by_message,
      held,
      notified_max_ms,
    ]),
    [
      ['chatws', 1, 3, HOUR_MS],
      ['email', 1, 3, HOUR_MS],
    ],
  )
})

test('silences that people made hold under both configurations, until they were ended', async () => {
  const settings: SilenceSettings = {
    ...{ name: 'upgrade', where: '', owner: 'anna', comment: 'upgrade', untilResolved: false },
    conditions: [{ field: 'service', values: ['payments'], where: '' }],
    ...{ startsAt: START + 2 * HOUR_MS, endsAt: START + 20 * HOUR_MS },
  }
  const made = { id: 7, settings: JSON.stringify(settings), createdAt: START + 2 * HOUR_MS }
  const ended = { ...made, ended: { at: START + 4 * HOUR_MS, by: 'anna' } }
  const [boot, routed] = [bootFor({}), bootFor({ routes: [{ name: 'chat', to: ['chatws'] }] })]
  for (const [silence, toldMs] of [
    [made, 17 * HOUR_MS],
    [ended, HOUR_MS],
  ] as const) {
    const same = await rehearsed(boot, boot, PATCH_NIGHT, [silence])
    assert.deepEqual([same.changes, same.in_force.held], [[], 3])
    assert.equal(same.in_force.destinations[0]?.notified_max_ms, toldMs)
    const moved = await rehearsed(boot, routed, PATCH_NIGHT, [silence])
    assert.deepEqual(
      moved.changes.map(({ kind, incidents }) => [kind, incidents.map(({ title }) => title)]),
      [['moved', ['incident 4']]],
    )
  }
})
