import type { AdminRoute, FrontOptions, OpenRoute } from '../../../src/http/contract.ts'
import type { Tickets } from '../../../src/http/tickets.ts'
import type { Actor } from '../../../src/kernel/cell.ts'
import { packError } from '../../../src/kernel/error-transfer.ts'
import type { Place } from '../../../src/kernel/mailbox.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import { Outbox } from '../../../src/kernel/send-buffer.ts'
import type { IngestFigures } from '../../../src/telemetry/meters.ts'
import { type Asked, type FrontMail, type RelayMail, type RelayQuery, routeName } from '../../messages/front-main.ts'
import type { RemoteClients } from './remote-subscribers.ts'

/** What main serves, for all fronts. */
export interface Relayed extends Pick<FrontOptions, 'ready' | 'metrics' | 'pages' | 'tail'> {
  readonly admin: readonly AdminRoute[]
  readonly open: readonly OpenRoute[]
  readonly tickets: Tickets
}

export interface RelayTools {
  readonly relayed: Relayed
  readonly front: Ref<FrontMail>
  /** Outlives the actor's restarts. */
  readonly clients: RemoteClients
  readonly figures: IngestFigures
}

/** Answers for one front what is not its own to answer. A question keeps its place until its answer is told. */
export function relayActor({ relayed, front, clients, figures }: RelayTools): Actor<RelayMail> {
  const answers = new Outbox<FrontMail>(front)
  const admin = new Map(relayed.admin.map((route) => [routeName(route), route]))
  const open = new Map(relayed.open.map((route) => [routeName(route), route]))

  function take(mail: RelayMail, place: Place): void {
    if (mail.kind === 'asked') return void answer(mail, place)
    place.settle()
    switch (mail.kind) {
      case 'counted':
        for (const { incidents, ms } of mail.batches) {
          figures.batch.record(incidents)
          figures.commitMs.record(ms)
        }
        figures.duplicates.add(mail.duplicates)
        addTo(figures.accepted, mail.accepted)
        addTo(figures.refused, mail.refused)
        return
      case 'joined':
        return clients.join(mail)
      case 'refiltered':
        return clients.refilter(mail)
      case 'left':
        return clients.leave(mail)
      case 'held':
        return clients.held(mail)
      case 'peer':
        if (mail.up) return
        answers.clear()
        return clients.leaveAll()
      default:
        return mail satisfies never
    }
  }

  async function answer({ id, what }: Asked, place: Place): Promise<void> {
    const mail = await answerTo(what).then(
      (given): FrontMail => ({ kind: 'answered', id, answer: given }),
      (error): FrontMail => ({ kind: 'answered', id, error: packError(error) }),
    )
    answers.tell(mail, () => place.settle())
  }

  async function answerTo(what: RelayQuery): Promise<unknown> {
    switch (what.kind) {
      case 'admin': {
        const { request } = what
        const query = new URLSearchParams(request.query)
        return found(admin.get(what.route)).answer({ ...request, query, body: kept(request.body) })
      }
      case 'open':
        return found(open.get(what.route)).answer({ ...what.request, body: bufferOf(what.request.body) })
      case 'ready':
        return relayed.ready()
      case 'metrics':
        return relayed.metrics?.()
      case 'pages':
        return relayed.pages?.()
      default:
        return what satisfies never
    }
  }

  return {
    receive(batch, places) {
      batch.forEach((mail, at) => take(mail, places[at] as Place))
    },
  }
}

function found<T>(route: T | undefined): T {
  if (route === undefined) throw new Error('a front asks for a route that main does not serve')
  return route
}

/** A Buffer arrives as the array that it is. */
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const kept = (body: unknown) => (body instanceof Uint8Array ? bufferOf(body) : body)

function addTo<K extends string>(
  figures: Readonly<Record<K, { add(count: number): void }>>,
  counted: { readonly [key in K]?: number },
): void {
  for (const [key, count] of Object.entries<number | undefined>(counted)) if (count) figures[key as K].add(count)
}
