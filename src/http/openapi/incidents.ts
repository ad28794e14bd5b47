import { z } from 'zod'
import { DeliveryPage, ReplayAnswer, ReplayRequest } from '../../api/delivery.ts'
import { channelName } from '../../api/fields.ts'
import { AcknowledgeAnswer, Done, IncidentDetail, IncidentPage, NotedRequest } from '../../api/incident.ts'
import { Preview, PreviewRequest } from '../../api/templates.ts'
import { DELIVERY_STATES } from '../../domain/delivery/delivery.ts'
import { SOURCES, STATUSES } from '../../domain/incident.ts'
import { DISK, json, type Operation, ok, operationsOf, pages } from './operation.ts'

const incidents = operationsOf('incidents', '/api/admin/')

/** Routes about incidents and their deliveries. */
export const INCIDENTS: readonly Operation[] = [
  incidents('get incidents', 'List incidents, newest first', {
    description: 'A page may hold fewer than `limit` incidents and still have a next page.',
    ...pages(IncidentPage, {
      q: z
        .string()
        .max(200)
        .exactOptional()
        .describe('Words in any order, or an id. Words "in quotes" stand side by side; the last word may be a prefix'),
      status: z.enum(STATUSES).exactOptional(),
      severity: z.string().exactOptional(),
      service: z.string().exactOptional(),
      channel: channelName.exactOptional(),
      source: z.enum(SOURCES).exactOptional(),
      notified: z
        .enum(['message', 'digest', 'nobody', 'waiting', 'silenced'])
        .exactOptional()
        .describe(
          'By a message of its own, by a digest, nobody, not yet, or held by a silence; with several destinations: at one of them',
        ),
      rule: z.string().exactOptional().describe('Name of a rule of `routes` that matched'),
      digest: z.int().min(0).exactOptional().describe('Number of a digest'),
    }),
    errors: ['storage_down'],
  }),
  incidents('get incidents/:id', 'One incident with its deliveries, all attempts and the text that was sent', {
    answers: ok(IncidentDetail, 'The incident'),
  }),
  incidents('post incidents/:id/resend', 'Send an incident again to all of its channels', {
    answers: ok(Done),
    errors: DISK,
  }),
  incidents('post incidents/:id/ack', 'Acknowledge an incident; it does not page any more', {
    body: json(NotedRequest),
    answers: ok(AcknowledgeAnswer),
    errors: DISK,
  }),
  incidents('post incidents/:id/resolve', 'Resolve the problem of an incident', {
    body: json(NotedRequest),
    answers: ok(Done),
    errors: DISK,
  }),
  incidents('get deliveries', 'List deliveries, those of the newest incidents first', {
    ...pages(DeliveryPage, {
      state: z.enum(DELIVERY_STATES).exactOptional(),
      channel: channelName.exactOptional(),
    }),
    errors: ['storage_down'],
  }),
  incidents(
    'post deliveries/replay',
    'Make dead deliveries pending again: all, those of a channel, those of an incident',
    { body: json(ReplayRequest), answers: ok(ReplayAnswer), errors: DISK },
  ),
  incidents('post render', 'Render the message that a channel would get', {
    body: json(PreviewRequest),
    answers: ok(Preview, 'The message'),
    errors: ['template_invalid', 'template_failed', 'template_deadline', 'template_output'],
  }),
]
