import type { TailTicketAnswer, TailTicketQuestion } from '../../../src/api/tail.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminAnswer, AdminRequest, AdminRoute, TicketStore } from '../../../src/http/contract.ts'
import { objectOf } from '../api/parameters.ts'
import { FORWARDED, type LeaderClient } from './leader-client.ts'

const PATH = '/api/admin/replicas/tail-tickets'

/**
 * Tickets of the live tail that are valid once on any replica: the leader issues and redeems them, in its memory. After
 * a change of the leader those that were issued before are not valid.
 */
export class ClusterTickets implements TicketStore {
  readonly #own: TicketStore
  readonly #client: LeaderClient

  /** @param own used while this replica leads */
  constructor(own: TicketStore, client: LeaderClient) {
    this.#own = own
    this.#client = client
  }

  /** For followers. Without a ticket in the body it issues one, else it redeems that. */
  readonly route: AdminRoute = {
    method: 'POST',
    path: PATH,
    headers: [FORWARDED],
    answer: (request) => this.#answer(request),
  }

  async issue(): Promise<string> {
    if (this.#client.leads) return this.#own.issue()
    const { ticket } = await this.#ask({})
    return ticket ?? ''
  }

  async redeem(ticket: string): Promise<boolean> {
    if (this.#client.leads) return this.#own.redeem(ticket)
    // Not worth a question: nothing that is not a ticket is sent on.
    if (!/^[\w-]{1,64}$/.test(ticket)) return false
    const { valid } = await this.#ask({ ticket })
    return valid === true
  }

  revoke(): void {
    this.#own.revoke()
  }

  async #answer({ body }: AdminRequest): Promise<AdminAnswer<TailTicketAnswer>> {
    this.#client.mustLead()
    const { ticket } = objectOf(body, 'the body')
    if (ticket === undefined) return { status: 200, json: { ticket: await this.#own.issue() } }
    if (typeof ticket !== 'string') throw new CodedError('bad_parameter', 'ticket must be text')
    return { status: 200, json: { valid: await this.#own.redeem(ticket) } }
  }

  async #ask(question: TailTicketQuestion): Promise<TailTicketAnswer> {
    const { status, body } = await this.#client.send({
      method: 'POST',
      path: PATH,
      contentType: 'application/json',
      body: JSON.stringify(question),
    })
    if (status === 200) return JSON.parse(body.toString())
    throw new CodedError(
      'peer_down',
      `the leader answered ${status}: it may be another version, or lead no more; ask again`,
    )
  }
}
