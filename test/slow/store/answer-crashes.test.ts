import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer, AnswerState } from '../../../src/domain/answer.ts'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { randomFrom } from '../../harness/random.ts'
import { press } from '../../store/answers/rig.ts'
import { ON_FILES } from '../../store/database.ts'
import { compileForTests } from '../../store/noise/silences/rig.ts'
import { StoreRig } from '../../store/support.ts'

const PRESSES = 60
const PROBLEMS = 5
const ACTIONS = [
  'acknowledge',
  'acknowledge',
  'acknowledge',
  'resolve',
  'silence',
  'end_silence',
  'end_silence',
] as const

/** A message at the provider, and the state that it shows. */
interface Shown {
  readonly incident: string
  readonly fingerprint: string
  state: AnswerState | undefined
}

/** The chat of a store whose process dies: it keeps what was sent. */
class Chat {
  readonly messages = new Map<string, Shown>()
  /** Ids of lines in threads, each once however often it was sent. */
  readonly lines = new Map<string, string>()
  /** Times of the acts that edits showed. */
  readonly shown: number[] = []

  take({ id, kind, edits, fingerprint, answers, title }: MessageDispatch): { readonly messageId?: string } {
    if (kind === 'follow-up' && edits === undefined) this.lines.set(id, title)
    if (edits !== undefined) {
      if (answers?.last !== undefined) this.shown.push(answers.last.at)
      const message = this.messages.get(edits)
      if (message !== undefined) message.state = answers
    }
    if (kind !== 'delivery') return {}
    const messageId = `C1/${this.messages.size + 1}`
    this.messages.set(messageId, { incident: id, fingerprint, state: answers })
    return { messageId }
  }
}

class Scene {
  readonly rig: StoreRig
  readonly chat = new Chat()
  /** Results of the presses that were carried out, by key. */
  readonly done = new Map<string, { readonly answer: Answer; readonly result: string }>()
  readonly random: () => number

  constructor(t: TestContext, seed: number) {
    this.random = randomFrom(seed)
    this.rig = new StoreRig(t, {
      ...{ channels: ['chatws'], answering: ['chatws'], threadedChannels: ['chatws'], maxBacklog: 10_000 },
      silences: { compile: compileForTests, configured: [] },
    })
  }

  below = (count: number) => Math.floor(this.random() * count)

  fire(): void {
    const fingerprint = `custom:${this.below(PROBLEMS)}`
    const status = this.random() < 0.15 ? 'resolved' : 'firing'
    this.rig.spill({ fingerprint, title: fingerprint, createdAt: this.rig.now, status })
  }

  /** Sends what is due; the process may die between the send and its record. */
  deliver(mayDie: boolean): void {
    const claimed = this.rig.claim('chatws')
    for (const dispatch of claimed) {
      const sent = this.chat.take(dispatch)
      if (mayDie && this.random() < 0.1) return this.rig.reopen()
      this.rig.settle(dispatch, { state: 'sent' }, sent)
    }
  }

  /** Presses a random message, and again until it is known what became of it, as Telegram does. */
  press(): void {
    const [messageId, { incident }] = [...this.chat.messages][this.below(this.chat.messages.size)] as [string, Shown]
    const action = ACTIONS[this.below(ACTIONS.length)] ?? 'resolve'
    const minutes = action === 'silence' ? { minutes: 60 } : {}
    const given = press(incident, action, { copy: { messageId }, ...minutes })
    const how = this.random()
    if (how < 0.6)
      try {
        this.rig.failingAt(how < 0.2 ? 'COMMIT' : this.below(60), () => this.rig.store.answers.answer(given))
      } catch {
        // The process dies before the commit, or after it.
      }
    if (how < 0.8) this.rig.reopen()
    const { result } = this.rig.store.answers.answer(given).answered
    this.done.set(given.key, { answer: given, result })
    if (how > 0.7) this.rig.reopen()
  }

  /** Sends all that is due, and compares what messages show; returns the number of those whose problem fires. */
  settled(): number {
    const { rig, chat } = this
    for (let at = 0; at < Infinity; at = rig.store.outbox.nextDueAt('chatws')) {
      rig.now = Math.max(rig.now + 200, at)
      this.deliver(false)
    }
    // A message that was sent once more has a second one that is not known.
    const last = new Map([...chat.messages.values()].map((message) => [message.incident, message]))
    const expected = [...last.values()].map((message) => ({ message, state: expectedOf(rig, message) }))
    const firing = expected.filter(({ state }) => state !== undefined)
    for (const { message, state } of firing) {
      const { phase, acknowledged, silenced } = message.state ?? {}
      assert.deepEqual([phase, acknowledged, silenced], state, message.fingerprint)
    }
    return firing.length
  }
}

// Each crash starts the store anew, which takes minutes in all on PostgreSQL.
for (const seed of [1, 2])
  test(
    `I1: presses with crashes are carried out once each, and every copy shows the state: seed ${seed}`,
    ON_FILES,
    (t) => {
      const scene = new Scene(t, seed)
      const { rig, chat, done } = scene
      let checked = 0
      while (done.size < PRESSES) {
        if (done.size % 5 === 4) checked += scene.settled()
        rig.now += 1_000
        const what = scene.random()
        if (what < 0.35) scene.fire()
        else if (what < 0.65 && chat.messages.size > 0) scene.press()
        else scene.deliver(true)
      }
      checked += scene.settled()
      const rows = rig.store.answers.list({ limit: 500 }).answers
      const given = [...done.values()].reverse()
      assert.deepEqual(
        rows.map(({ action, result }) => [action, result]),
        given.map(({ answer, result }) => [answer.action, result]),
      )
      const acts = new Set(rows.flatMap(({ at, result }) => (result === 'done' ? [Date.parse(at)] : [])))
      for (const at of chat.shown) assert.ok(acts.has(at), 'an edit shows an act that is not on disk')
      assert.ok(checked > PROBLEMS && chat.shown.length > 50, `${checked} copies, ${chat.shown.length} edits`)
      for (const [line, actions] of LINES) {
        const lines = [...chat.lines.values()].filter((each) => each.startsWith(line))
        const most = rows.filter(({ action, result }) => result === 'done' && actions.includes(action)).length
        assert.ok(lines.length > 0 && lines.length <= most, `${lines.length} lines of ${most}: ${line}`)
      }
    },
  )

/** Lines in threads, and the actions that may raise one each. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['✅ Acknowledged', ['acknowledge', 'silence']],
  ['🟢 Resolved', ['resolve']],
  ['🔕 Silenced', ['silence']],
  ['🔔 Silence ended', ['end_silence']],
]

/** What a message has to show; undefined: its problem is over, or began anew after it. */
function expectedOf({ store }: StoreRig, { fingerprint, incident }: Pick<Shown, 'fingerprint' | 'incident'>) {
  const problem = store.problems.list({ limit: 50 }).problems.find((each) => each.fingerprint === fingerprint)
  if (problem?.state !== 'firing') return undefined
  const latest = store.problems.detail(problem.id)?.incidents ?? []
  if (!latest.some(({ id, created_at }) => id === incident && created_at >= problem.opened_at)) return undefined
  const { silences } = store.silences.list({ limit: 500 })
  const isSilenced = silences.some((each) => each.state === 'active' && each.problem === problem.id)
  return ['firing', problem.acked_at !== null, isSilenced]
}
