import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { Escalation, OncallPerson } from '../../../src/policy/oncall/escalation.ts'
import { randomFrom } from '../../harness/random.ts'
import { draft, START } from '../support.ts'
import { MINUTE, OncallRig, rulesOf } from './rig.ts'

const PROBLEMS = 200
const MINUTES = 12 * 60
const AFTER = 8
/** What people do, and how many minutes after a message. */
const PEOPLE = {
  ada: { does: 'acknowledge', in: 1 },
  ben: { does: 'sleep', in: 0 },
  cleo: { does: 'decline', in: 2 },
  /** Her chat refuses all messages; mail arrives. */
  dora: { does: 'acknowledge', in: 3 },
  eve: { does: 'acknowledge', in: 5 },
} as const
type Name = keyof typeof PEOPLE
const NAMES = Object.keys(PEOPLE) as Name[]

const orders = NAMES.flatMap((one) => NAMES.flatMap((two) => NAMES.map((three) => [one, two, three] as const)))
const ORDERS = orders.filter((names) => new Set(names).size === 3)

const escalationOf = (names: readonly Name[]): Escalation => ({
  name: names.join('-'),
  steps: names.map((name, at) => ({ afterMs: at === 0 ? 0 : AFTER * MINUTE, notify: [{ kind: 'person', name }] })),
  repeat: 0,
  repeatAfterMs: 10 * MINUTE,
})

const personOf = (key: Name): [string, OncallPerson] => [
  key,
  {
    name: key,
    timeZone: 'Europe/Berlin',
    ways: [
      { kind: 'channel', channel: 'chatws', target: `person:${key}:1`, afterMs: 0 },
      { kind: 'channel', channel: 'email', target: `person:${key}:2`, afterMs: 2 * MINUTE },
    ],
  },
]

interface Script {
  readonly title: string
  readonly names: readonly Name[]
  /** Minutes. */
  readonly fires: number
  readonly resolves: number
}

const draftOf = (title: string, status: 'firing' | 'resolved') =>
  draft({ title, fingerprint: `custom:${title}`, status })

/** What has to be in the ledger: who was asked in which minute, and how it ended. */
function expectedOf({ names, fires, resolves }: Script, mailOfDora: (asked: number) => number) {
  const asked: string[] = []
  let at = fires
  for (const name of names) {
    if (at >= resolves) break
    asked.push(`${name} ${at}`)
    const { does, in: minutes } = PEOPLE[name]
    const answers = minutes + (name === 'dora' ? mailOfDora(at) : at)
    if (does === 'acknowledge') {
      const phase = answers < resolves ? { by: name } : {}
      return { asked, ...phase, phase: resolves < MINUTES ? 'ended' : 'acknowledged' }
    }
    at = does === 'decline' ? answers : at + AFTER
  }
  return { asked, phase: resolves < MINUTES ? 'ended' : 'exhausted' }
}

test('a night of 200 problems and five people: the ledger is what they were asked, and what they did', (t) => {
  const random = randomFrom(7)
  const below = (count: number) => Math.floor(random() * count)
  const script = Array.from({ length: PROBLEMS }, (_, nth): Script => {
    const fires = below(MINUTES - 60)
    const resolves = random() < 0.3 ? fires + 1 + below(20) : Infinity
    return { title: `problem ${nth}`, names: ORDERS[below(ORDERS.length)] ?? NAMES, fires, resolves }
  })
  const orderOf = new Map(script.map(({ title, names }) => [title, names.join('-')]))
  const rules = rulesOf(
    {},
    {
      people: new Map(NAMES.map(personOf)),
      escalations: new Map(ORDERS.map((names) => [names.join('-'), escalationOf(names)])),
    },
  )
  const rig = new OncallRig(t, rules, {
    decide: ({ status, title }) => ({
      ...{ destinations: [], priority: 'normal', rules: [] },
      ...(status === 'firing' && { page: { waitMs: 0, escalation: orderOf.get(title) ?? '' } }),
    }),
  })
  const answers: { readonly minute: number; readonly message: number; readonly does: 'acknowledge' | 'decline' }[] = []
  /** Minutes in which dora got mail. */
  const mails: number[] = []

  function deliver(minute: number): void {
    for (;;) {
      const dispatches = rig.claimAll(['chatws', 'email']).dispatches as MessageDispatch[]
      if (dispatches.length === 0) return
      for (const dispatch of dispatches) {
        const [, name, way] = /^person:(\w+):(\d)$/.exec(dispatch.target ?? '') ?? []
        const isLost = name === 'dora' && way === '1'
        rig.settle(dispatch, isLost ? { state: 'dead', reason: 'gone' } : { state: 'sent' })
        if (dispatch.kind !== 'notice' || dispatch.notice?.kind !== 'page' || isLost) continue
        const { does, in: minutes } = PEOPLE[name as Name]
        if (name === 'dora') mails.push(minute)
        else if (way === '2') continue
        if (does !== 'sleep') answers.push({ minute: minute + minutes, message: dispatch.number, does })
      }
    }
  }

  for (let minute = 0; minute < MINUTES; minute++) {
    rig.now = START + minute * MINUTE
    for (const { message, does, ...at } of answers)
      if (at.minute === minute) rig.store.oncallPages?.press(message, does)
    const firing = script.filter(({ fires }) => fires === minute).map(({ title }) => draftOf(title, 'firing'))
    const over = script.filter(({ resolves }) => resolves === minute).map(({ title }) => draftOf(title, 'resolved'))
    if (firing.length + over.length > 0) rig.commit({ drafts: [...over, ...firing] })
    deliver(minute)
  }

  const ledger = new Map(rig.runs().map((run) => [run.title, run]))
  assert.equal(ledger.size, PROBLEMS)
  const mailOfDora = (asked: number) => mails.find((minute) => minute >= asked) ?? Infinity
  for (const each of script) {
    const { asked, phase, ...by } = expectedOf(each, mailOfDora)
    const run = ledger.get(each.title)
    const chats = run?.pages.filter(({ way }) => way === 'chatws') ?? []
    assert.deepEqual(
      chats.map(({ person, planned_at }) => `${person} ${(Date.parse(planned_at) - START) / MINUTE}`),
      asked,
      JSON.stringify([each, run]),
    )
    assert.equal(run?.phase, phase, JSON.stringify([each, run]))
    assert.equal(run?.acked_by, 'by' in by && phase === 'acknowledged' ? by.by : null)
    assert.ok(
      run?.pages.every(({ state }) => ['sent', 'skipped', 'dead'].includes(state)),
      JSON.stringify(run),
    )
    for (const { person, state } of chats) assert.equal(state, person === 'dora' ? 'dead' : 'sent', JSON.stringify(run))
  }
})
