import assert from 'node:assert/strict'
import { Ingest } from '../../../actors/front/ingest.ts'
import type { Raised } from '../../../actors/messages/agent.ts'
import type { Commit, RequestResult } from '../../../actors/messages/ingest-journal.ts'
import type { IngestMail } from '../../../actors/messages/mailboxes.ts'
import { type FrameRequest, readFrameRequests } from '../../../src/domain/frame.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import type { Intake, IntakeAnswer } from '../../../src/http/contract.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'

const PREFIX = '018f0000-0000-7000-8000-'
export const idOf = (number: number) => incidentId(PREFIX, number)
export const MAX_INFLIGHT = 4_096

/** Returns the journal's answers to the requests of one frame. */
type Results = (requests: readonly FrameRequest[]) => readonly RequestResult[] | undefined

/** Ingest with a journal that takes `window` frames of each kind and commits them when the test says so. */
export function setup({ window = 4, answerWithinMs = Infinity } = {}) {
  const { scheduler, passAll } = manualScheduler()
  const clock = new ManualClock()
  const failures: unknown[] = []
  const raised: Raised[] = []
  const counted = { accepted: [] as string[], duplicates: 0, batches: [] as number[] }
  const plain = new Mailbox<Commit>({ capacity: window })
  const keyed = new Mailbox<Commit>({ capacity: window })
  const journal = { up: true, nextNumber: 1 }
  /** Flushes of links within a turn. */
  const flushed = { times: 0 }
  let batches = 0
  const ingest = new Ingest({
    plain: nearRef('journal', plain, window),
    keyed: nearRef('keyed', keyed, window),
    clock,
    answerWithinMs,
    counts: {
      batch: (incidents) => counted.batches.push(incidents),
      accepted: (source, incidents) => counted.accepted.push(`${source} ${incidents}`),
      duplicate: () => counted.duplicates++,
    },
    front: 0,
    nextBatch: () => ++batches,
    journalUp: () => journal.up,
    maxInflight: MAX_INFLIGHT,
    scheduler: { runActor: (run) => scheduler.runActor(run), flushLinks: () => flushed.times++ },
    failed: (error) => failures.push(error),
    raised: (mail) => raised.push(mail),
  })
  const cell = new Cell<IngestMail>(
    { name: 'ingest', batch: 64, slots: 'held', mailbox: { capacity: 80 }, build: () => ingest },
    { clock: new ManualClock(), scheduler, report: { failed() {}, deadLetter() {} } },
  )
  const offer = (mail: IngestMail) => assert.ok(cell.mailbox.offer(mail))

  /** Submits a body, and returns the answers that it gets. */
  function ask(body: string, fields: Partial<Intake> = {}): IntakeAnswer[] {
    const answers: IntakeAnswer[] = []
    assert.equal(submit(body, { answer: (answer) => answers.push(answer), ...fields }), 'taken')
    return answers
  }

  function submit(body: string, fields: Partial<Intake> = {}) {
    return ingest.submit(
      { format: 'json', source: 'webhook', receivedAt: 1, answer: () => {}, ...fields },
      Buffer.from(body),
    )
  }

  /** Commits the frames that were sent, and returns their requests. `mailboxes`: frames without and with keys. */
  function commitSent(results: Results = () => undefined, mailboxes = [plain, keyed]): FrameRequest[][] {
    const taken = mailboxes.map((mailbox) => mailbox.take(64))
    for (const slot of taken.flatMap(({ slots }) => slots)) slot.free()
    const messages = taken.flatMap((each) => each.messages)
    const frames = messages.map(({ frame }) => readFrameRequests(frame))
    messages.forEach(({ front, batch }, at) => {
      const requests = frames[at] ?? []
      const answers = results(requests)
      offer({
        kind: 'committed',
        front,
        batch,
        first: journal.nextNumber,
        idPrefix: PREFIX,
        ...(answers && { results: answers }),
      })
      const created = requests.filter((_, nth) => answers === undefined || answers[nth]?.kind === 'created')
      journal.nextNumber += created.flatMap(({ incidents }) => incidents).length
    })
    passAll()
    return frames
  }

  return {
    ask,
    clock,
    submit,
    offer,
    commitSent,
    commitPlain: () => commitSent(undefined, [plain]),
    journal,
    failures,
    raised,
    counted,
    flushed,
    ingest,
    pass: passAll,
    sent: () => plain.queued + keyed.queued,
    occupied: () => cell.mailbox.occupied,
  }
}

export const bodiesOf = (frames: readonly (readonly FrameRequest[])[]): string[][] =>
  frames.map((requests) =>
    requests.flatMap(({ incidents }) => incidents.map(({ body }) => Buffer.from(body).toString())),
  )
