import type { Payload } from '../../domain/incident.ts'
import type { Sample } from './sample.ts'

function trackedError(resolved: boolean): Payload {
  return {
    action: resolved ? 'resolved' : 'created',
    installation: { uuid: '0b7e6f0c-9f6e-4f1c-8a68-2d1f0e5b7a10' },
    data: {
      issue: {
        id: '5120044871',
        title: 'TypeError: taxes.rate is not a function',
        culprit: 'applyTax(checkout/tax.ts)',
        shortId: 'STOREFRONT-8KQ',
        permalink: 'https://sentry.example.net/organizations/acme/issues/5120044871/',
        project: { id: '112', name: 'Storefront', slug: 'storefront' },
        metadata: { type: 'TypeError', value: 'taxes.rate is not a function' },
        status: resolved ? 'resolved' : 'unresolved',
        level: 'error',
        firstSeen: '2026-03-09T09:58:12.000Z',
        lastSeen: '2026-03-09T10:14:55.000Z',
        count: 1342,
        userCount: 311,
      },
    },
    actor: { type: 'user', id: '77', name: 'Maren Holt' },
  }
}

export const ERROR_TRACKER: readonly Sample[] = [
  { name: 'Error tracker: new issue', sender: 'error_tracker', payload: trackedError(false) },
  { name: 'Error tracker: resolved', sender: 'error_tracker', payload: trackedError(true) },
]
