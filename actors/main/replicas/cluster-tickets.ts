import type { TailTicketAnswer, TailTicketQuestion } from '../../../src/api/tail.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRequest, AdminRoute, TicketStore } from '../../../src/http/contract.ts'
import { objectOf } from '../api/parameters.ts'
import { route } from '../api/route.ts'
import { FORWARDED, type LeaderClient } from './leader-client.ts'

const PATH = '/api/admin/replicas/tail-tickets'

/**
 * Tickets of the live tail that are valid once on any replica: the leader issues and redeems them, in its memory. After
 * a change of the leader those that were issued before are not valid.
 */
export function clusterTickets(own: TicketStore, client: LeaderClient): TicketStore & { readonly route: AdminRoute } {
  async function ask(question: TailTicketQuestion): Promise<TailTicketAnswer> {
    const { status, body } = await client.send({
      method: 'POST',
      path: PATH,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    })
    if (status === 200) return JSON.parse(body.toString())
    const cause = `the leader answered ${status}: it may be another version, or lead no more; ask again`
    throw new CodedError('peer_down', cause)
  }

  async function answerOf({ body }: AdminRequest): Promise<TailTicketAnswer> {
    client.mustLead()
    const { ticket } = objectOf(body, 'the body')
    if (ticket === undefined) return { ticket: await own.issue() }
    if (typeof ticket !== 'string') throw new CodedError('bad_parameter', 'ticket must be text')
    return { valid: await own.redeem(ticket) }
  }

  return {
    /** For followers. Without a ticket in the body it issues one, else it redeems that. */
    route: { ...route('POST', PATH, answerOf), headers: [FORWARDED] },
    async issue() {
      if (client.leads) return own.issue()
      const { ticket } = await ask({})
      return ticket ?? ''
    },
    async redeem(ticket) {
      if (client.leads) return own.redeem(ticket)
      // Not worth a question: nothing that is not a ticket is sent on.
      if (!/^[\w-]{1,64}$/.test(ticket)) return false
      const { valid } = await ask({ ticket })
      return valid === true
    },
    revoke: () => own.revoke(),
  }
}
