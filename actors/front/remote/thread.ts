import { LoginThrottle } from '../../../src/http/auth.ts'
import type { FrontSettings } from '../../../src/http/contract.ts'
import { createFront } from '../../../src/http/front.ts'
import { Tickets } from '../../../src/http/tickets.ts'
import { sinceBootMs } from '../../../src/kernel/clock.ts'
import { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import { shrinkHeap } from '../../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../../src/kernel/thread.ts'
import { jsonPrinter, type LiveLog } from '../../../src/telemetry/log.ts'
import { FRONT_REQUEST_WINDOW, FRONT_WINDOW, type FrontMail, type FrontRequestMail } from '../../messages/front-main.ts'
import type { FrontQueries, RemoteFrontSettings } from '../../messages/front-queries.ts'
import { type Answers, answerFrom } from '../../messages/query.ts'
import { logReports } from '../../wiring/log-reports.ts'
import { openParameterWarnings } from '../../wiring/parameter-warnings.ts'
import type { FrontBoot, ThreadDeps } from '../../wiring/settings.ts'
import { createIngest } from '../ingest-cell.ts'
import { CountForwarder } from './count-forwarder.ts'
import { MainClient } from './main-client.ts'
import { MainTailClient } from './tail-client.ts'

/**
 * Runs one more front on main's port, with an ingest of its own: incidents go from here to the journal. All other requests
 * are answered by main.
 */
export function frontThread(
  boot: FrontBoot,
  { thread, link, scheduler }: ThreadContext,
  { spawn, clock, log }: ThreadDeps,
): ThreadBody {
  const main = link('main').outlet<FrontRequestMail>('relay', FRONT_REQUEST_WINDOW)
  const sendBuffer = new SendBuffer(main)
  const firstId = sinceBootMicros()
  const counts = new CountForwarder(main, scheduler)
  const { ingest, submit } = createIngest({
    spawn,
    scheduler,
    journal: link('journal'),
    clock,
    report: logReports(log),
    counts,
    maxInflight: boot.maxInflight,
    answerWithinMs: boot.answerWithinMs,
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
    tickets: boot.tickets ? new Tickets(sinceBootMs, boot.tickets) : mainClient.tickets,
    throttle: new LoginThrottle(sinceBootMs, boot.throttle),
    tail,
    log,
    sharedPort: 'joins',
    submit,
    now: () => clock.now(),
    refused: (code) => counts.refused(code),
    warned: openParameterWarnings({ log, clock, count: () => counts.warned() }),
  })
  const take = (mail: FrontMail) => (mail.kind === 'answered' ? mainClient.answered(mail) : tail.receive(mail))
  const { cell: mail } = spawn<FrontMail>({
    name: thread,
    address: 'front',
    places: FRONT_WINDOW,
    batch: FRONT_WINDOW,
    slots: 'auto',
    from: [link('main')],
    build: () => ({ receive: (batch) => batch.forEach(take) }),
  })
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

const settingsOf = ({ front, debugBody }: RemoteFrontSettings): FrontSettings => ({
  ...front,
  ...(debugBody ? { onPayload: jsonPrinter() } : {}),
})

/** Grows with every incarnation of a thread, and faster than the ids and batch numbers that count on from it. */
const sinceBootMicros = () => Math.floor(sinceBootMs() * 1_000)

/**
 * Closes the front after an uncaught error, then ends the thread: a thread that ends with an open uWebSockets.js socket
 * aborts the process. Requests under way are answered when their commit ends within the front's closing time.
 */
function endWithoutSockets(log: LiveLog, close: () => Promise<void>): void {
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a front failed; it closes, and is started again')
    void close().finally(() => process.exit(1))
  })
}
