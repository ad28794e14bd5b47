import { z } from 'zod'
import { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../api/noise/silence.ts'
import { SilenceChange, SilenceCreated, SilenceRequest } from '../../api/noise/silence-requests.ts'
import { json, type Operation, ok, operationsOf, pages } from './operation.ts'

const noise = operationsOf('noise')

const PATH = '/api/admin/silences'
const DISK = ['storage_full', 'storage_down'] as const

/** Routes of silences. */
export const SILENCES: readonly Operation[] = [
  noise('get', PATH, {
    summary: 'List silences: active ones, then scheduled ones, then those that ended last',
    ...pages(SilencePage, {
      state: z.enum(['active', 'scheduled', 'ended']).exactOptional(),
    }),
  }),
  noise('post', PATH, {
    summary: 'Make a silence',
    description: 'It begins at once, unless `starts_at` or `schedule` says otherwise.',
    body: json(SilenceRequest),
    answers: { 201: { description: 'The silence, and what it would have held', content: json(SilenceCreated) } },
    errors: ['bad_parameter', 'silence_too_broad', ...DISK],
  }),
  noise('post', `${PATH}/preview`, {
    summary: 'What a silence would have held in the last 24 hours; nothing is made',
    body: json(SilenceRequest),
    answers: ok(SilencePreview, 'Its effect'),
    errors: ['bad_parameter'],
  }),
  noise('get', `${PATH}/:id`, {
    summary: 'One silence with the problems that it holds',
    answers: ok(SilenceDetail, 'The silence'),
  }),
  noise('patch', `${PATH}/:id`, {
    summary: 'Extend or shorten a silence, or change its owner or comment',
    body: json(SilenceChange),
    answers: ok(SilenceRecord, 'The silence'),
    errors: ['bad_parameter', 'silence_expired', ...DISK],
  }),
  noise('delete', `${PATH}/:id`, {
    summary: 'End a silence now; what it holds is sent, and its record stays',
    query: z.object({ by: z.string().exactOptional().describe('The person who ends it') }),
    answers: ok(SilenceRecord, 'The silence'),
    errors: ['bad_parameter', 'silence_expired', ...DISK],
  }),
]
