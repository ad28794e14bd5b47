import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAdmission } from '../../../actors/front/admission.ts'
import { ingestActor } from '../../../actors/front/ingest.ts'
import type { Accept, Commit } from '../../../actors/messages/ingest-storage.ts'
import type { IngestMail } from '../../../actors/messages/mailboxes.ts'
import type { Intake, IntakeAnswer } from '../../../src/http/contract.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'

test('an answer that throws keeps no other request from its answer, and no place', () => {
  const ingest = setup()
  ingest.submit(request(1), () => {
    throw new Error('the socket is gone')
  })
  const answers = ingest.ask(request(1))
  ingest.pass()
  ingest.commitAll()
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['created'],
  )
  assert.equal(ingest.failures.length, 1)
  assert.equal(ingest.occupied(), 0)
})

test('requests of ten thousand tiny incidents are refused before they fill the memory, and taken again', () => {
  const ingest = setup()
  const taken: boolean[] = []
  for (let n = 0; n < 50; n++) taken.push(ingest.submit(request(10_000), () => {}))
  const first = taken.filter((each) => each).length
  assert.ok(first >= 1 && first <= 8, `${first} requests of 10,000`)
  ingest.pass()
  ingest.commitAll()
  for (let n = 0; n < first; n++)
    assert.equal(
      ingest.submit(request(10_000), () => {}),
      true,
    )
})

test('when storage is lost, each waiting request is refused once', () => {
  const ingest = setup()
  const answers = [1, 2, 3].map(() => ingest.ask(request(2)))
  ingest.pass()
  const late = ingest.ask(request(1))
  ingest.offer({ kind: 'peer', up: false })
  ingest.pass()
  ingest.commitAll()
  assert.deepEqual([...answers, late].flat(), Array(4).fill({ kind: 'refused', code: 'storage_down' }))
  assert.equal(ingest.occupied(), 0)
})

function request(incidents: number): Intake {
  const document = { payload: { a: 1 }, bytes: new TextEncoder().encode('{"a":1}') }
  return { documents: Array(incidents).fill(document), receivedAt: 1 }
}

/** Ingest with a storage that commits when the test says so. */
function setup() {
  const { scheduler, passAll } = manualScheduler()
  const failures: unknown[] = []
  const commits = new Mailbox<Commit>({ capacity: 4 })
  const storage = nearRef<Commit>('storage', commits, 4)
  let ids = 0
  let batches = 0
  const cell = new Cell<IngestMail>(
    {
      name: 'ingest',
      batch: 64,
      slots: 'held',
      mailbox: { capacity: 80 },
      build: () =>
        ingestActor({
          storage,
          clock: new ManualClock(),
          counts: { batch: () => {}, accepted: () => {}, duplicate: () => {} },
          recognise: () => ({
            sender: 'custom',
            title: '',
            service: '',
            severity: '',
            status: 'firing',
            fingerprint: '',
          }),
          front: 0,
          nextBatch: () => ++batches,
          storageUp: () => true,
          newId: () => String(++ids),
          failed: (error) => failures.push(error),
          raised: () => {},
        }),
    },
    { clock: new ManualClock(), scheduler, report: { failed() {}, deadLetter() {} } },
  )
  const submit = createAdmission(nearRef<Accept>('ingest', cell.mailbox as unknown as Mailbox<Accept>, 64), scheduler)
  const offer = (mail: IngestMail) => assert.ok(cell.mailbox.offer(mail))
  return {
    submit,
    offer,
    failures,
    pass: passAll,
    ask(intake: Intake) {
      const answers: IntakeAnswer[] = []
      assert.ok(submit(intake, (answer) => answers.push(answer)))
      return answers
    },
    commitAll() {
      const { messages, slots } = commits.take(64)
      for (const { front, batch } of messages) offer({ kind: 'committed', front, batch })
      for (const slot of slots) slot.free()
      passAll()
    },
    occupied: () => cell.mailbox.occupied,
  }
}
