import type { EventFilter } from '../../../src/domain/event-filter.ts'
import type { JoinRequest, Subscription, Tail, TailClient } from '../../../src/domain/subscription.ts'
import type { FrontLog, TicketStore } from '../../../src/http/contract.ts'
import { errorText } from '../../../src/text/error-text.ts'
import type { LeaderClient } from './leader-client.ts'

interface LeaderTailDeps {
  readonly client: LeaderClient
  readonly tickets: Pick<TicketStore, 'issue'>
  readonly log: FrontLog
}

/**
 * The live tail on a follower. Each client gets a connection of its own to the leader's tail, and all that comes over
 * it as it is: so ids, `after` and gaps are the leader's, and hold on every replica. When that connection ends, so does
 * the client's.
 */
export function leaderTail({ client: leader, tickets, log }: LeaderTailDeps): Tail {
  async function open(relayed: RelayedClient, { after, newest }: JoinRequest): Promise<void> {
    const ticket = await tickets.issue()
    const { address } = leader.leader()
    const query = new URLSearchParams({ ...queryOf(relayed.filter), ticket })
    if (after !== undefined) query.set('after', after)
    if (newest !== undefined) query.set('newest', String(newest))
    const base = address.replace(/^http/, 'ws')
    relayed.connect(() => new WebSocket(`${base}/api/admin/tail?${query}`))
  }

  return {
    join(client, request) {
      const relayed = new RelayedClient(client, request)
      open(relayed, request).catch((error) => {
        log.warn({ reason: errorText(error) }, 'a client of the live tail cannot follow the leader')
        relayed.end()
      })
      return relayed
    },
  }
}

/**
 * - joining: waits for a ticket and the connection. Leaves to open, ended.
 * - open: passes messages on. Leaves to ended when the connection to the leader ends, or the client leaves.
 * - ended: the client was disconnected, or has left.
 */
class RelayedClient implements Subscription {
  /** While joining: the filter to join with. */
  filter: EventFilter
  readonly #client: TailClient
  #socket: WebSocket | undefined
  #state: 'joining' | 'open' | 'ended' = 'joining'

  constructor(client: TailClient, { filter }: JoinRequest) {
    this.#client = client
    this.filter = filter
  }

  connect(open: () => WebSocket): void {
    if (this.#state === 'ended') return
    const joinedWith = this.filter
    const socket = open()
    this.#socket = socket
    socket.addEventListener('open', () => {
      if (this.#state !== 'joining') return socket.close()
      this.#state = 'open'
      if (this.filter !== joinedWith) this.refilter(this.filter)
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#state === 'open') this.#client.send(String(data))
    })
    socket.addEventListener('error', () => this.end())
    socket.addEventListener('close', () => this.end())
  }

  refilter(filter: EventFilter): void {
    this.filter = filter
    if (this.#state === 'open') this.#socket?.send(JSON.stringify({ kind: 'filter', ...queryOf(filter) }))
  }

  drained(): void {}

  leave(): void {
    this.#state = 'ended'
    this.#socket?.close()
  }

  end(): void {
    if (this.#state === 'ended') return
    this.leave()
    this.#client.disconnect('leader_changed')
  }
}

function queryOf({ kinds, channels, severities, q }: EventFilter): { [name: string]: string } {
  return {
    ...(kinds && { kinds: kinds.join(',') }),
    ...(channels && { channel: channels.join(',') }),
    ...(severities && { severity: severities.join(',') }),
    ...(q !== undefined && { q }),
  }
}
