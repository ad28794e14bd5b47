import { z } from 'zod'
import { Done } from '../../api/incident.ts'
import { REPORTED } from '../../domain/oncall.ts'
import { json, type Operation, ok, operationsOf } from './operation.ts'

const acknowledge = operationsOf('acknowledge')
const dashboard = operationsOf('dashboard')

const LINK = z.object({
  exp: z.string().describe('Expiry of the link, in epoch seconds'),
  sig: z.string().describe('Signature of the link'),
})
const page = (description: string) => ({ description, content: { 'text/html': z.string() } })
const said = (description: string) => ({ description, content: { 'text/plain': z.string() } })
const TAKEN = { 200: { description: 'The press is on disk, or was refused for good' } }
const REFUSED = {
  403: page('The signature is wrong'),
  404: page('The incident does not exist any more'),
  410: page('The link has expired'),
  503: page('The storage is not available; try again'),
}

/** Pages for people: acknowledge links and the dashboard. */
export const PAGES: readonly Operation[] = [
  acknowledge('get /api/ack/:id', 'Ask for a confirmation', {
    description: 'Does not acknowledge: programs that open links do not press buttons.',
    query: LINK,
    answers: { 200: page('The question'), ...REFUSED },
  }),
  acknowledge('post /api/ack/:id', 'Acknowledge an incident', {
    query: LINK,
    body: {
      'application/x-www-form-urlencoded': z.object({
        name: z.string().exactOptional().describe('Name of the person who acknowledges'),
      }),
    },
    answers: {
      200: page('Acknowledged'),
      409: page('It was acknowledged before'),
      415: page('Not a form'),
      ...REFUSED,
    },
  }),
  acknowledge('get /api/ack/page/:message', 'Ask the person of a message', {
    description: 'The link in a message of on-call to one person. Changes nothing.',
    query: LINK,
    answers: { 200: page('The problems, with two buttons'), ...REFUSED },
  }),
  acknowledge('post /api/ack/page/:message', 'Acknowledge all that the message counts, as that person, or decline', {
    query: LINK,
    body: { 'application/x-www-form-urlencoded': z.object({ action: z.enum(['acknowledge', 'decline']) }) },
    answers: {
      200: page('Done, or over'),
      409: page('Answered before'),
      415: page('Not the form'),
      ...REFUSED,
    },
  }),
  acknowledge('get /api/answer/:id', 'Show what can be done about a problem', {
    description: 'With `answers.links`. Changes nothing.',
    query: LINK,
    answers: { 200: page('The incident, with a form'), ...REFUSED },
  }),
  acknowledge('post /api/answer/:id', 'Do it', {
    query: LINK,
    body: {
      'application/x-www-form-urlencoded': z.object({
        token: z.string().describe('Of the button, from the form'),
        name: z.string().exactOptional().describe('Name of the person'),
      }),
    },
    answers: {
      200: page('Done, or so before'),
      409: page('Done before with this link, or the problem began anew after its message'),
      415: page('Not a form'),
      429: page('Too many presses'),
      ...REFUSED,
    },
  }),
  acknowledge('post /api/answer', 'A button of a push message was pressed', {
    description: 'Posted by the phone, with `alert.ntfy.answers.mode: http`.',
    body: { 'text/plain': z.string().describe('Token of the button; at most 1 KiB') },
    answers: {
      200: said('Done, or so before'),
      404: said('No mode is set, or nothing is stored of the problem'),
      409: said('The problem began anew after this message'),
      429: said('Too many presses'),
    },
    errors: ['answer_token', 'body_too_large', 'answer_busy'],
  }),
  acknowledge('post /api/chat/chatws', 'A button of a message of chatws was pressed', {
    description: 'Posted and signed by Slack, with `alert.chatws.answers.mode: http`.',
    body: { 'application/x-www-form-urlencoded': z.object({ payload: z.string().describe('JSON') }) },
    answers: TAKEN,
    errors: ['answer_signature', 'answer_token', 'not_found', 'body_too_large', 'answer_busy'],
  }),
  acknowledge('post /api/chat/msgapp', 'A button of a message of msgapp was pressed', {
    description: 'An update of Telegram with its secret token, with `alert.msgapp.answers.mode: webhook`.',
    body: json(z.looseObject({})),
    answers: TAKEN,
    errors: ['answer_signature', 'not_found', 'body_too_large', 'answer_busy'],
  }),
  acknowledge('post /api/oncall/gateway/:name', 'A gateway reports what became of a page', {
    description: 'Signed with the secret of the gateway, at most five minutes ago. A repetition changes nothing.',
    body: json(
      z.object({
        id: z.string().describe('Of the page, as it was posted'),
        state: z.enum(REPORTED),
        detail: z.string().exactOptional().describe('For the record; 200 characters are kept'),
      }),
    ),
    answers: ok(Done, 'It is on disk'),
    errors: ['answer_signature', 'bad_parameter', 'not_found', 'body_too_large', 'storage_down', 'storage_full'],
  }),
  dashboard('get /', 'The dashboard, while a gateway secret is configured', {
    answers: { 200: page('The dashboard') },
    errors: ['not_found'],
  }),
  dashboard('get /assets/:name', 'A file of the dashboard', {
    answers: { 200: { description: 'The file' } },
    errors: ['not_found'],
  }),
]
