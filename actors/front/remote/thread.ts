import type { FrontSettings } from '../../../src/http/contract.ts'
import { createFront } from '../../../src/http/front.ts'
import { Tickets } from '../../../src/http/tickets.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { sinceBootMs, systemClock } from '../../../src/kernel/clock.ts'
import { Outbox } from '../../../src/kernel/send-buffer.ts'
import { compact } from '../../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../../src/kernel/thread.ts'
import { jsonPrinter, type LiveLog } from '../../../src/telemetry/log.ts'
import {
  FRONT_WINDOW,
  type FrontMail,
  type FrontQuery,
  RELAY_WINDOW,
  type RelayedSettings,
  type RelayMail,
} from '../../messages/front-main.ts'
import { reports } from '../../wiring/log-reports.ts'
import type { FrontBoot, ThreadTools } from '../../wiring/settings.ts'
import { submitTo } from '../ingest.ts'
import { ingestOn } from '../ingest-cell.ts'
import { FrontCounts } from './count-forwarder.ts'
import { MainDesk } from './main-client.ts'
import { FrontTail } from './tail-client.ts'

/** One more front on the port, with an IngestActor of its own: what it accepts never meets main. All other requests are main's to answer. */
export function frontThread(boot: FrontBoot, context: ThreadContext, { log }: ThreadTools): ThreadBody {
  const { thread, link, turns } = context
  const clock = systemClock
  const report = reports(log)
  const main = link('main').outlet<RelayMail>('relay', RELAY_WINDOW)
  const outbox = new Outbox(main)
  const firstId = sinceBootMicros()
  const counts = new FrontCounts(main, turns)
  const { ingest, ingestEdge } = ingestOn({
    ...{ store: link('store'), clock, turns, report, counts, maxInflight: boot.maxInflight },
    name: `ingest/${thread}`,
    batches: { first: firstId * boot.fronts + boot.nth, step: boot.fronts },
  })
  const desk = new MainDesk({ main: outbox, clock, firstId })
  const tail = new FrontTail({ main: outbox, turns, firstId, publish: (topic, text) => front.publish(topic, text) })
  const front = createFront({
    ...settingsOf(boot.settings),
    ...desk.options(boot.routes),
    tickets: new Tickets(sinceBootMs, boot.tickets),
    ...{ tail, log, sharedPort: 'joins', submit: submitTo(ingestEdge, turns) },
    refused: (code) => counts.refused(code),
  })
  const mail = frontCell(context, log, (each) => (each.kind === 'answered' ? desk.answered(each) : tail.receive(each)))
  link('main').inlet('front', mail.mailbox)
  endWithoutSockets(log, () => front.close())
  compact()
  return {
    cells: [ingest, mail],
    ask: (_actor, query) => answer(query as FrontQuery),
    async stop() {
      await front.close()
      await ingest.close()
      await mail.close()
    },
  }

  function answer(query: FrontQuery): unknown {
    switch (query.kind) {
      case 'listen':
        return front.listen(query.host, query.port)
      case 'settings':
        log.change(query.settings.log)
        return front.reload(settingsOf(query.settings))
      case 'refuse':
        return front.refuseNew()
      default:
        return query satisfies never
    }
  }
}

function frontCell({ thread, turns }: ThreadContext, log: LiveLog, take: (mail: FrontMail) => void): Cell<FrontMail> {
  return new Cell<FrontMail>(
    {
      name: thread,
      mailbox: { capacity: FRONT_WINDOW, whenFull: 'wait' },
      batch: FRONT_WINDOW,
      places: 'auto',
      build: () => ({ receive: (batch) => batch.forEach(take) }),
    },
    { clock: systemClock, turns, report: reports(log).cell },
  )
}

const settingsOf = ({ front, debugBody }: RelayedSettings): FrontSettings => ({
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
