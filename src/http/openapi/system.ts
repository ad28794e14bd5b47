import { z } from 'zod'
import { EffectiveConfig } from '../../api/config.ts'
import { channelName } from '../../api/fields.ts'
import { ReplicaList } from '../../api/replica.ts'
import { Stats } from '../../api/stats.ts'
import { TailTicket, TailTicketAnswer, TailTicketQuestion } from '../../api/tail.ts'
import { TemplateList } from '../../api/templates.ts'
import { TopicStatus } from '../../api/topic.ts'
import { EVENT_KINDS } from '../../domain/event.ts'
import { json, type Operation, ok } from './operation.ts'

export const SYSTEM: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/stats',
    tag: 'system',
    summary: 'Rates, percentiles, backlogs, threads and mailboxes',
    answers: ok(Stats, 'The statistics of this moment'),
  },
  {
    method: 'get',
    path: '/api/admin/replicas',
    tag: 'system',
    summary: 'The replicas that share the database; only with `storage.type: postgres`',
    answers: ok(ReplicaList, 'The replicas whose lease has not ended, as this one read them at its last beat'),
  },
  {
    method: 'post',
    path: '/api/admin/replicas/tail-tickets',
    tag: 'system',
    summary: 'Between replicas: issue a ticket for the live tail, or redeem the one in the body; the leader answers',
    body: json(TailTicketQuestion),
    answers: ok(TailTicketAnswer, 'The ticket, or whether the given one was valid'),
    errors: ['bad_parameter', 'peer_down'],
  },
  {
    method: 'get',
    path: '/api/admin/config',
    tag: 'system',
    summary: 'The configuration in force, without its secrets',
    answers: ok(EffectiveConfig, 'The configuration'),
  },
  {
    method: 'get',
    path: '/api/admin/templates',
    tag: 'system',
    summary: 'The templates in use, and a sample payload of every sender',
    answers: ok(TemplateList, 'Templates and samples'),
  },
  {
    method: 'get',
    path: '/api/admin/topic',
    tag: 'system',
    summary: 'State of the topic subscription, and counts of its messages',
    answers: ok(TopicStatus, 'The state'),
  },
  {
    method: 'post',
    path: '/api/admin/tail/ticket',
    tag: 'system',
    summary: 'Issue a ticket for the live tail: valid once, for a short time',
    answers: ok(TailTicket, 'The ticket'),
  },
  {
    method: 'get',
    path: '/api/admin/tail',
    tag: 'system',
    summary: 'The live tail, a WebSocket',
    description:
      'Every message of the server is one JSON object: first `hello`, then events, each with an `id` for `after`, and `missed` when ' +
      'the client was too slow. Events of kind `delivery` and `digest` name their destination by `channel` and `target`, which is null for ' +
      'the default one. The client may send `{"kind":"filter",...}` at any time. The ticket takes the place of the secret.',
    query: z.object({
      ticket: z.string(),
      kinds: z
        .string()
        .exactOptional()
        .describe(`Some of ${EVENT_KINDS.join(', ')}, separated by commas`),
      channel: channelName.exactOptional(),
      severity: z.string().exactOptional(),
      q: z.string().exactOptional().describe('Text that an event contains'),
      after: z.string().exactOptional().describe('Id of the last event that the client has'),
      newest: z
        .int()
        .min(1)
        .max(1_000)
        .exactOptional()
        .describe('Without `after`: number of kept events to send first, 1 to 1,000'),
    }),
    answers: {
      101: { description: 'Switching protocols' },
      426: { description: 'The request is no WebSocket upgrade', content: json(z.unknown()) },
    },
    errors: ['bad_parameter', 'tail_full', 'shutting_down'],
  },
]
