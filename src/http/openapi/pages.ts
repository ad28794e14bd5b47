import type { Operation } from './operation.ts'
import { object, said, text } from './schema.ts'

const LINK = {
  'exp!': said('When the link expires, in epoch seconds', text),
  'sig!': said('The signature of the link', text),
}
const page = (description: string) => ({ description, content: { 'text/html': text } })
const REFUSED = {
  403: page('The link is not one of ours'),
  404: page('The incident is gone'),
  410: page('The link has expired'),
  503: page('The storage is not available: try again'),
}

/** Where the links of messages lead, and what a browser loads. */
export const PAGES: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/ack/:id',
    tag: 'acknowledge',
    summary: 'A page that asks whether to acknowledge',
    description: 'Acknowledges nothing: scanners follow links, and press no buttons.',
    query: LINK,
    answers: { 200: page('The question'), ...REFUSED },
  },
  {
    method: 'post',
    path: '/api/ack/:id',
    tag: 'acknowledge',
    summary: 'Acknowledge',
    query: LINK,
    body: { 'application/x-www-form-urlencoded': object({ 'name?': said('Who acknowledges', text) }) },
    answers: {
      200: page('Acknowledged'),
      409: page('It was acknowledged before'),
      415: page('Not a form'),
      ...REFUSED,
    },
  },
  {
    method: 'get',
    path: '/',
    tag: 'dashboard',
    summary: 'The dashboard, when there is a gateway secret',
    answers: { 200: page('The dashboard') },
    errors: ['not_found'],
  },
  {
    method: 'get',
    path: '/assets/:name',
    tag: 'dashboard',
    summary: 'A file of the dashboard',
    answers: { 200: { description: 'The file' } },
    errors: ['not_found'],
  },
]
