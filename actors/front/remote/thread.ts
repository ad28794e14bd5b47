import type { FrontSettings } from '../../../src/http/contract.ts'
import { createFront } from '../../../src/http/front.ts'
import { Tickets } from '../../../src/http/tickets.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { sinceBootMs, systemClock } from '../../../src/kernel/clock.ts'
import { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import { shrinkHeap } from '../../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../../src/kernel/thread.ts'
import { jsonPrinter, type LiveLog } from '../../../src/telemetry/log.ts'
import { FRONT_REQUEST_WINDOW, FRONT_WINDOW, type FrontMail, type FrontRequestMail } from '../../messages/front-main.ts'
import type { FrontQueries, RemoteFrontSettings } from '../../messages/front-queries.ts'
import { type Answers, answerFrom } from '../../messages/query.ts'
import { logReports } from '../../wiring/log-reports.ts'
import type { FrontBoot, ThreadDeps } from '../../wiring/settings.ts'
import { submitTo } from '../ingest.ts'
import { createIngest } from '../ingest-cell.ts'
import { CountForwarder } from './count-forwarder.ts'
import { MainClient } from './main-client.ts'
import { MainTailClient } from './tail-client.ts'

/** One more front on the port, with an IngestActor of its own: what it accepts never meets main. All other requests are main's to answer. */
export function frontThread(boot: FrontBoot, context: ThreadContext, { log }: ThreadDeps): ThreadBody {
  const { thread, link, scheduler } = context
  const clock = systemClock
  const report = logReports(log)
  const main = link('main').outlet<FrontRequestMail>('relay', FRONT_REQUEST_WINDOW)
  const sendBuffer = new SendBuffer(main)
  const firstId = sinceBootMicros()
  const counts = new CountForwarder(main, scheduler)
  const { ingest, ingestEdge } = createIngest({
    store: link('store'),
    clock,
    scheduler,
    report,
    counts,
    maxInflight: boot.maxInflight,
    name: `ingest/${thread}`,
    front: boot.index,
    firstBatch: firstId,
  })
  const mainClient = new MainClient({ main: sendBuffer, clock, firstId })
  const tail = new MainTailClient({
    main: sendBuffer,
    scheduler,
    firstId,
    publish: (topic, text) => front.publish(topic, text),
  })
  const front = createFront({
    ...settingsOf(boot.settings),
    ...mainClient.options(boot.routes),
    tickets: new Tickets(sinceBootMs, boot.tickets),
    tail,
    log,
    sharedPort: 'joins',
    submit: submitTo(ingestEdge, scheduler),
    refused: (code) => counts.refused(code),
  })
  const mail = frontCell(context, log, (each) =>
    each.kind === 'answered' ? mainClient.answered(each) : tail.receive(each),
  )
  link('main').inlet('front', mail.mailbox)
  const answers: Answers<FrontQueries> = {
    listen: ({ host, port }) => front.listen(host, port),
    settings({ settings }) {
      log.change(settings.log)
      front.reload(settingsOf(settings))
    },
    refuse: () => front.refuseNew(),
  }
  endWithoutSockets(log, () => front.close())
  shrinkHeap()
  return {
    cells: [ingest, mail],
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await front.close()
      await ingest.close()
      await mail.close()
    },
  }
}

function frontCell(
  { thread, scheduler }: ThreadContext,
  log: LiveLog,
  take: (mail: FrontMail) => void,
): Cell<FrontMail> {
  return new Cell<FrontMail>(
    {
      name: thread,
      mailbox: { capacity: FRONT_WINDOW, whenFull: 'wait' },
      batch: FRONT_WINDOW,
      slots: 'auto',
      build: () => ({ receive: (batch) => batch.forEach(take) }),
    },
    { clock: systemClock, scheduler, report: logReports(log).cell },
  )
}

const settingsOf = ({ front, debugBody }: RemoteFrontSettings): FrontSettings => ({
  ...front,
  ...(debugBody ? { onPayload: jsonPrinter() } : {}),
})

/** Grows through all lives of a thread, and faster than anything that is numbered from it on. */
const sinceBootMicros = () => Math.floor(sinceBootMs() * 1_000)

/**
 * A thread that ends while a socket is open takes the process with it. So after an error that nobody caught the front is closed as at a shutdown:
 * what is on its way to the disk is answered when it gets there in time, and its client comes again when it does not.
 */
function endWithoutSockets(log: LiveLog, close: () => Promise<void>): void {
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a front failed; it closes, and is started again')
    void close().finally(() => process.exit(1))
  })
}
