import type { LoginThrottle } from '../../../src/http/auth.ts'
import type { AdminRoute, FrontOptions, PublicRoute, TicketStore } from '../../../src/http/contract.ts'
import type { Actor } from '../../../src/kernel/cell.ts'
import { packError } from '../../../src/kernel/error-transfer.ts'
import type { Slot } from '../../../src/kernel/mailbox.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import type { IngestMeters } from '../../../src/telemetry/meters.ts'
import {
  type FrontMail,
  type FrontRequestMail,
  type MainQueries,
  type MainRequest,
  routeName,
} from '../../messages/front-main.ts'
import { type Answers, answerFrom } from '../../messages/query.ts'
import type { RemoteSubscribers } from './remote-subscribers.ts'

/** The services of main that all fronts offer. */
export interface MainServices extends Pick<FrontOptions, 'ready' | 'metrics' | 'pages' | 'tail'> {
  readonly throttle: LoginThrottle
  readonly admin: readonly AdminRoute[]
  readonly publicRoutes: readonly PublicRoute[]
  /** `buffer`: memory in which the fronts find them. Absent: they ask main. */
  readonly tickets: TicketStore & { readonly buffer?: SharedArrayBuffer }
}

interface FrontRequestDeps {
  readonly services: MainServices
  readonly front: Ref<FrontMail>
  /** Outlives restarts of the actor. */
  readonly clients: RemoteSubscribers
  readonly meters: IngestMeters
}

/**
 * Answers the questions of one front, adds its counts to the meters, and passes on its tail clients. A question keeps
 * its slot until the answer has left.
 */
export function frontRequestActor({ services, front, clients, meters }: FrontRequestDeps): Actor<FrontRequestMail> {
  const answers = new SendBuffer<FrontMail>(front)
  const mainAnswers = answersOf(services)

  function handle(mail: FrontRequestMail, slot: Slot): void {
    if (mail.kind === 'asked') return void answer(mail, slot)
    slot.free()
    switch (mail.kind) {
      case 'counted':
        for (const { incidents, ms } of mail.batches) {
          meters.batch.record(incidents)
          meters.commitMs.record(ms)
        }
        meters.duplicates.add(mail.duplicates)
        meters.warned.add(mail.warned)
        addTo(meters.accepted, mail.accepted)
        addTo(meters.refused, mail.refused)
        return
      case 'joined':
        return clients.join(mail)
      case 'refiltered':
        return clients.refilter(mail)
      case 'left':
        return clients.leave(mail)
      case 'buffers':
        return clients.reportBuffers(mail)
      case 'peer':
        if (mail.up) return
        answers.clear()
        return clients.leaveAll()
      default:
        return mail satisfies never
    }
  }

  async function answer({ id, query }: MainRequest, slot: Slot): Promise<void> {
    let mail: FrontMail
    try {
      mail = { kind: 'answered', id, answer: await answerFrom(mainAnswers, query) }
    } catch (error) {
      mail = { kind: 'answered', id, error: packError(error) }
    }
    answers.tell(mail, () => slot.free())
  }

  return {
    receive(batch, slots) {
      batch.forEach((mail, at) => handle(mail, slots[at] as Slot))
    },
  }
}

function answersOf({ admin, publicRoutes, ready, metrics, pages, tickets }: MainServices): Answers<MainQueries> {
  const adminRoutes = new Map(admin.map((route) => [routeName(route), route]))
  const openRoutes = new Map(publicRoutes.map((route) => [routeName(route), route]))
  return {
    admin({ route, request }) {
      const query = new URLSearchParams(request.query)
      return served(adminRoutes.get(route)).answer({ ...request, query, body: withBuffers(request.body) })
    },
    public: ({ route, request }) => served(openRoutes.get(route)).answer({ ...request, body: bufferOf(request.body) }),
    ready,
    metrics: () => served(metrics)(),
    pages: () => served(pages)(),
    issueTicket: () => tickets.issue(),
    redeemTicket: ({ ticket }) => tickets.redeem(ticket),
  }
}

function served<T>(service: T | undefined): T {
  if (service === undefined) throw new Error('a front requested a service that main does not have')
  return service
}

/** A Buffer that crossed threads arrives as a plain Uint8Array. */
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const withBuffers = (body: unknown) => (body instanceof Uint8Array ? bufferOf(body) : body)

function addTo<K extends string>(
  meters: Readonly<Record<K, { add(count: number): void }>>,
  counts: { readonly [key in K]?: number },
): void {
  for (const [key, count] of Object.entries<number | undefined>(counts)) if (count) meters[key as K].add(count)
}
