import { createHmac } from 'node:crypto'
import type { HttpKind } from './http.ts'
import type { Reply } from './provider.ts'

/**
 * HTTP providers by the name of their channel or on-call provider. A new one is a line here, and its faults in
 * `faults.ts`.
 */
export const HTTP_KINDS = {
  chatws: {
    success: (_request, nth) => json({ ok: true, channel: 'C1', ts: `1700000000.${String(nth).padStart(6, '0')}` }),
    textOf: strings,
  },
  msgapp: {
    success: (_request, nth) => json({ ok: true, result: { message_id: nth } }),
    textOf: strings,
  },
  messenger: {
    /** The token is a 64-bit number, as the provider's are. */
    success: (_request, nth) => ({
      body: `{"status":0,"status_message":"ok","message_token":5741311803571${String(nth).padStart(6, '0')}}`,
    }),
    textOf: strings,
  },
  officechat: { success: () => ({ status: 202, body: '' }), textOf: strings },
  workchat: { success: () => json({ code: 0, msg: 'success', data: {} }), textOf: strings },
  pagerduty: {
    success: () => ({ status: 202, body: { status: 'success', message: 'Event processed' } }),
    textOf: strings,
  },
  incident_io: {
    success: () => ({ status: 202, body: { status: 'success', message: 'Event accepted' } }),
    textOf: strings,
  },
  webhook: { success: () => json({ ok: true }), textOf: strings },
} satisfies { readonly [kind: string]: HttpKind }

function json(body: object): Reply {
  return { status: 200, body }
}

/** Returns all texts of a JSON value, in order. */
function strings(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(strings).filter(Boolean).join('\n')
}

/** Returns true when a workchat message carries the right signature for the secret. */
export function signed(message: unknown, secret: string): boolean {
  if (typeof message !== 'object' || message === null || !('timestamp' in message) || !('sign' in message)) return false
  return message.sign === createHmac('sha256', `${message.timestamp}\n${secret}`).update('').digest('base64')
}
