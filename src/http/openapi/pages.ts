import { z } from 'zod'
import { type Operation, operationsOf } from './operation.ts'

const acknowledge = operationsOf('acknowledge')
const dashboard = operationsOf('dashboard')

const LINK = z.object({
  exp: z.string().describe('Expiry of the link, in epoch seconds'),
  sig: z.string().describe('Signature of the link'),
})
const page = (description: string) => ({ description, content: { 'text/html': z.string() } })
const REFUSED = {
  403: page('The signature is wrong'),
  404: page('The incident does not exist any more'),
  410: page('The link has expired'),
  503: page('The storage is not available; try again'),
}

/** Pages for people: acknowledge links and the dashboard. */
export const PAGES: readonly Operation[] = [
  acknowledge('get', '/api/ack/:id', {
    summary: 'Ask for a confirmation',
    description: 'Does not acknowledge: programs that open links do not press buttons.',
    query: LINK,
    answers: { 200: page('The question'), ...REFUSED },
  }),
  acknowledge('post', '/api/ack/:id', {
    summary: 'Acknowledge an incident',
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
  dashboard('get', '/', {
    summary: 'The dashboard, while a gateway secret is configured',
    answers: { 200: page('The dashboard') },
    errors: ['not_found'],
  }),
  dashboard('get', '/assets/:name', {
    summary: 'A file of the dashboard',
    answers: { 200: { description: 'The file' } },
    errors: ['not_found'],
  }),
]
