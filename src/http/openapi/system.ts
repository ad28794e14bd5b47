import { z } from 'zod'
import { ChannelList, PauseAnswer, ResumeAnswer, TestMessageAnswer, TestMessageRequest } from '../../api/channel.ts'
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
import { DISK, json, type Operation, ok, operationsOf } from './operation.ts'

const system = operationsOf('system', '/api/admin/')
const channels = operationsOf('channels', '/api/admin/')

export const SYSTEM: readonly Operation[] = [
  system('get stats', 'Rates, percentiles, backlogs, threads and mailboxes', {
    answers: ok(Stats, 'The statistics of this moment'),
  }),
  system('get replicas', 'The replicas that share the database; only with `storage.type: postgres`', {
    answers: ok(ReplicaList, 'The replicas whose lease has not ended, as this one read them at its last beat'),
  }),
  system(
    'post replicas/tail-tickets',
    'Between replicas: issue a ticket for the live tail, or redeem the one in the body; the leader answers',
    {
      body: json(TailTicketQuestion),
      answers: ok(TailTicketAnswer, 'The ticket, or whether the given one was valid'),
      errors: ['peer_down'],
    },
  ),
  system('get config', 'The configuration in force, without its secrets', {
    answers: ok(EffectiveConfig, 'The configuration'),
  }),
  system('get templates', 'The templates in use, and a sample payload of every sender', {
    answers: ok(TemplateList, 'Templates and samples'),
  }),
  system('get topic', 'State of the topic subscription, and counts of its messages', {
    answers: ok(TopicStatus, 'The state'),
  }),
  system('get doors', 'The doors in the shape of other programs’ APIs, and their requests since the start', {
    answers: ok(DoorList, 'The doors'),
  }),
  system('get mcp', 'Tokens of `/mcp`, and their calls since the start', {
    answers: ok(McpTokenList, 'The tokens, without their secrets'),
  }),
  system('post tail/ticket', 'Issue a ticket for the live tail: valid once, for a short time', {
    answers: ok(TailTicket, 'The ticket'),
  }),
  system('get tail', 'The live tail, a WebSocket', {
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
    errors: ['tail_full', 'shutting_down'],
  }),
  channels('get channels', 'All channels with their health', {
    answers: ok(ChannelList, 'All channels, enabled or not'),
  }),
  channels('post channels/:name/pause', 'Pause a channel: its deliveries stay on disk until it is resumed', {
    answers: ok(PauseAnswer),
    errors: DISK,
  }),
  channels('post channels/:name/resume', 'Resume a channel', { answers: ok(ResumeAnswer), errors: DISK }),
  channels('post channels/:name/test', 'Send a test message', {
    body: json(TestMessageRequest),
    answers: ok(TestMessageAnswer, 'The result'),
  }),
]
