import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { openSchedules } from '../../../src/store/oncall/schedules.ts'
import { schedule } from '../../policy/oncall/setup.ts'
import { EVERY_NTH } from '../../store/database.ts'
import { MINUTE, OncallRig, rulesOf } from '../../store/oncall/rig.ts'
import { withCode } from '../../store/support.ts'

const AGAIN = ' (repeated)'

/** Hands out what is due, and keeps what has arrived at people whatever becomes of its record. */
class Scene {
  readonly rig: OncallRig
  readonly arrived: string[] = []
  held: readonly MessageDispatch[] = []
  readonly messages: number[] = []

  constructor(t: TestContext) {
    const schedules = new Map([['primary', schedule()]])
    const rules = rulesOf({}, { schedules })
    this.rig = new OncallRig(t, rules, { schedules: { people: rules.people, schedules }, openSchedules })
  }

  claim(): void {
    const dispatches = this.rig.claimAll(['chatws', 'email']).dispatches as MessageDispatch[]
    for (const { number, target = '', title, mayDuplicate, kind } of dispatches) {
      this.arrived.push(`${kind === 'notice' ? target : kind}: ${title}`)
      assert.equal(mayDuplicate && target !== '', title.endsWith(AGAIN))
      this.messages.push(number)
    }
    this.held = dispatches
  }

  settle(verdict: 'sent' | 'dead' = 'sent'): void {
    const [first] = this.held
    if (first === undefined) this.claim()
    for (const each of this.held)
      this.rig.settle(each, verdict === 'sent' ? { state: 'sent' } : { state: 'dead', reason: 'gone' })
    this.held = []
  }

  /** Until nobody is asked any more. */
  end(): void {
    for (let at = 0; at < 45; at++) {
      this.rig.now += MINUTE
      if (this.dueAt() > this.rig.now) continue
      this.settle()
      this.settle()
    }
  }

  fire = (fingerprint: string) => this.rig.fire(fingerprint)

  /** All that is known of runs. */
  state = () => this.rig.store.oncallRuns?.list()
  dueAt = () => this.rig.store.outbox.nextDueAt('any')
}

interface Case {
  prepare(scene: Scene): void
  /** One transaction, done again when it failed. */
  act(scene: Scene): void
}

const disk = (rig: OncallRig) => ({ ...rig.incidentOf('disk'), title: 'disk' })

const asked = (scene: Scene) => {
  scene.fire('disk')
  scene.settle()
}

const CASES: { readonly [name: string]: Case } = {
  'a run begins': {
    prepare: () => {},
    act: ({ rig }) => void rig.commit({ drafts: [disk(rig)] }),
  },
  'an incident joins a run': {
    prepare: asked,
    act: ({ rig }) => void rig.commit({ drafts: [disk(rig)] }),
  },
  'the next step runs': {
    prepare(scene) {
      asked(scene)
      scene.rig.now += 8 * MINUTE
    },
    act: ({ rig }) => void rig.turn({}),
  },
  'the second way is told': {
    prepare(scene) {
      asked(scene)
      scene.rig.now += 2 * MINUTE
    },
    act: ({ rig }) => void rig.turn({}),
  },
  'messages are claimed': {
    prepare(scene) {
      scene.fire('disk')
    },
    act: (scene) => scene.claim(),
  },
  'a message is settled': {
    prepare(scene) {
      scene.fire('disk')
      scene.claim()
    },
    act: (scene) => scene.settle(),
  },
  'a message is dead': {
    prepare(scene) {
      scene.fire('disk')
      scene.claim()
    },
    act: (scene) => scene.settle('dead'),
  },
  'a person acknowledges': {
    prepare: asked,
    act: ({ rig, messages }) => void rig.store.oncallPages?.press(messages[0] ?? 0, 'acknowledge'),
  },
  'a person declines': {
    prepare: asked,
    act: ({ rig, messages }) => void rig.store.oncallPages?.press(messages[0] ?? 0, 'decline'),
  },
  'the next person is asked by hand': {
    prepare: asked,
    act: ({ rig }) => void rig.store.oncallPages?.escalate(1, 'Cleo'),
  },
  'an override is made': {
    prepare: asked,
    act({ rig }) {
      const given = { schedule: 'primary', person: 'ben', by: 'Ben', reason: 'dentist' }
      rig.store.schedules?.addOverride({ ...given, from: rig.now, until: rig.now + 60 * MINUTE })
    },
  },
  'a problem is resolved': {
    prepare: asked,
    act: ({ rig }) => void rig.commit({ drafts: [{ ...disk(rig), status: 'resolved' }] }),
  },
}

const withoutCopies = (arrived: readonly string[]) => arrived.filter((line) => !line.endsWith(AGAIN))

for (const [name, { prepare, act }] of Object.entries(CASES))
  for (const how of ['goes on', 'starts anew'] as const)
    test(`${name}: the disk fails at any statement, the store ${how}, and every message arrives`, (t) => {
      const smooth = new Scene(t)
      prepare(smooth)
      act(smooth)
      smooth.end()

      const scene = new Scene(t)
      prepare(scene)
      if (how === 'starts anew' && scene.held.length > 0) {
        scene.rig.reopen()
        scene.held = []
      }
      const before = scene.state()
      const dueAt = scene.dueAt()
      let statement = 0
      for (let isDone = false; !isDone; )
        try {
          if (scene.held.length === 0 && /settled|dead/.test(name)) scene.claim()
          scene.rig.failingAt(statement, () => act(scene))
          isDone = true
        } catch (error) {
          assert.ok(withCode('storage_down')(error), String(error))
          statement += EVERY_NTH
          // Each start takes a tenth of a second.
          if (how === 'starts anew' && (statement - 1) % 6 < EVERY_NTH) {
            scene.rig.reopen()
            scene.held = []
          }
          assert.deepEqual(scene.state(), before, `after statement ${statement}`)
          assert.ok(scene.dueAt() <= dueAt || how === 'starts anew')
        }
      assert.ok(statement > 2, `${statement} statements`)
      scene.end()
      assert.deepEqual(withoutCopies(scene.arrived), smooth.arrived)
      for (const copy of scene.arrived.filter((line) => line.endsWith(AGAIN)))
        assert.ok(smooth.arrived.includes(copy.replace(AGAIN, '')), copy)
      const pagesOf = ({ rig }: Scene) => rig.runs().map(({ phase, pages }) => [phase, pages.map(({ state }) => state)])
      assert.deepEqual(pagesOf(scene), pagesOf(smooth))
      assert.ok(scene.rig.runs().length === 1)
      // A start ends the runs whose problems quiet has ended, of which no event tells.
      scene.rig.reopen()
      const counted = [scene.state(), scene.dueAt()]
      scene.rig.reopen()
      assert.deepEqual([scene.state(), scene.dueAt()], counted)
    })
