import { z } from 'zod'
import { EffectiveConfig } from '../../api/config.ts'
import { DoorList } from '../../api/door.ts'
import { channelName } from '../../api/fields.ts'
import { McpTokenList } from '../../api/mcp.ts'
import { ReplicaList } from '../../api/replica.ts'
import { Stats } from '../../api/stats.ts'
import { TailTicket, TailTicketAnswer, TailTicketQuestion } from '../../api/tail.ts'
import { TemplateList } from '../../api/templates.ts'
import { TopicStatus } from '../../api/topic.ts'
import { EVENT_KINDS } from '../../domain/event.ts'
import { json, type Operation, ok, operationsOf } from './operation.ts'

const system = operationsOf('system')

export const SYSTEM: readonly Operation[] = [
  system('get', '/api/admin/stats', {
    summary: 'Rates, percentiles, backlogs, threads and mailboxes',
    answers: ok(Stats, 'The statistics of this moment'),
  }),
  system('get', '/api/admin/replicas', {
    summary: 'The replicas that share the database; only with `storage.type: postgres`',
    answers: ok(ReplicaList, 'The replicas whose lease has not ended, as this one read them at its last beat'),
  }),
  system('post', '/api/admin/replicas/tail-tickets', {
    summary: 'Between replicas: issue a ticket for the live tail, or redeem the one in the body; the leader answers',
    body: json(TailTicketQuestion),
    answers: ok(TailTicketAnswer, 'The ticket, or whether the given one was valid'),
    errors: ['bad_parameter', 'peer_down'],
  }),
  system('get', '/api/admin/config', {
    summary: 'The configuration in force, without its secrets',
    answers: ok(EffectiveConfig, 'The configuration'),
  }),
  system('get', '/api/admin/templates', {
    summary: 'The templates in use, and a sample payload of every sender',
    answers: ok(TemplateList, 'Templates and samples'),
  }),
  system('get', '/api/admin/topic', {
    summary: 'State of the topic subscription, and counts of its messages',
    answers: ok(TopicStatus, 'The state'),
  }),
  system('get', '/api/admin/doors', {
    summary: 'The doors in the shape of other programs’ APIs, and their requests since the start',
    answers: ok(DoorList, 'The doors'),
  }),
  system('get', '/api/admin/mcp', {
    summary: 'Tokens of `/mcp`, and their calls since the start',
    answers: ok(McpTokenList, 'The tokens, without their secrets'),
  }),
  system('post', '/api/admin/tail/ticket', {
    summary: 'Issue a ticket for the live tail: valid once, for a short time',
    answers: ok(TailTicket, 'The ticket'),
  }),
  system('get', '/api/admin/tail', {
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
  }),
]
