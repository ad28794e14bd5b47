import type { AdminRoute, FrontOptions, PublicRoute } from '../../../src/http/contract.ts'
import type { Tickets } from '../../../src/http/tickets.ts'
import type { Actor } from '../../../src/kernel/cell.ts'
import { packError } from '../../../src/kernel/error-transfer.ts'
import type { Slot } from '../../../src/kernel/mailbox.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import type { IngestMeters } from '../../../src/telemetry/meters.ts'
import {
  type FrontMail,
  type FrontRequestMail,
  type MainQuery,
  type MainRequest,
  routeName,
} from '../../messages/front-main.ts'
import type { RemoteSubscribers } from './remote-subscribers.ts'

/** What main serves, for all fronts. */
export interface MainServices extends Pick<FrontOptions, 'ready' | 'metrics' | 'pages' | 'tail'> {
  readonly admin: readonly AdminRoute[]
  readonly publicRoutes: readonly PublicRoute[]
  readonly tickets: Tickets
}

interface FrontRequestDeps {
  readonly services: MainServices
  readonly front: Ref<FrontMail>
  /** Outlives the actor's restarts. */
  readonly clients: RemoteSubscribers
  readonly meters: IngestMeters
}

/** Answers for one front what is not its own to answer. A question keeps its place until its answer is told. */
export function frontRequestActor({ services, front, clients, meters }: FrontRequestDeps): Actor<FrontRequestMail> {
  const answers = new SendBuffer<FrontMail>(front)
  const admin = new Map(services.admin.map((route) => [routeName(route), route]))
  const publicRoutes = new Map(services.publicRoutes.map((route) => [routeName(route), route]))

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
        addTo(meters.accepted, mail.accepted)
        addTo(meters.refused, mail.refused)
        return
      case 'joined':
        return clients.join(mail)
      case 'refiltered':
        return clients.refilter(mail)
      case 'left':
        return clients.leave(mail)
      case 'held':
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
    const mail = await answerTo(query).then(
      (given): FrontMail => ({ kind: 'answered', id, answer: given }),
      (error): FrontMail => ({ kind: 'answered', id, error: packError(error) }),
    )
    answers.tell(mail, () => slot.free())
  }

  async function answerTo(mainQuery: MainQuery): Promise<unknown> {
    switch (mainQuery.kind) {
      case 'admin': {
        const { request } = mainQuery
        const query = new URLSearchParams(request.query)
        return found(admin.get(mainQuery.route)).answer({ ...request, query, body: withBuffers(request.body) })
      }
      case 'open':
        return found(publicRoutes.get(mainQuery.route)).answer({
          ...mainQuery.request,
          body: bufferOf(mainQuery.request.body),
        })
      case 'ready':
        return services.ready()
      case 'metrics':
        return services.metrics?.()
      case 'pages':
        return services.pages?.()
      default:
        return mainQuery satisfies never
    }
  }

  return {
    receive(batch, slots) {
      batch.forEach((mail, at) => handle(mail, slots[at] as Slot))
    },
  }
}

function found<T>(route: T | undefined): T {
  if (route === undefined) throw new Error('a front asks for a route that main does not serve')
  return route
}

/** A Buffer arrives as the array that it is. */
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const withBuffers = (body: unknown) => (body instanceof Uint8Array ? bufferOf(body) : body)

function addTo<K extends string>(
  meters: Readonly<Record<K, { add(count: number): void }>>,
  counts: { readonly [key in K]?: number },
): void {
  for (const [key, count] of Object.entries<number | undefined>(counts)) if (count) meters[key as K].add(count)
}
