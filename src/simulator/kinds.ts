import { appError, Bot } from './bot.ts'
import { field, type Received, type Reply } from './exchange.ts'
import { type HttpKind, tooMany } from './http-kind.ts'
import { messageTs } from './slack-app.ts'

/**
 * HTTP providers by the name of their channel or on-call provider. A new one is a line here, and its faults in
 * `faults.ts`.
 */
export const HTTP_KINDS = {
  chatws: {
    success: ({ json: message }, nth) =>
      json({ ok: true, channel: channelId(field(message, 'channel')), ts: messageTs(nth) }),
    limited: (seconds) => ({ ...tooMany(seconds), body: { ok: false, error: 'ratelimited' } }),
    editing: {
      chatOf: (request) =>
        isUpdate(request) ? field(request.json, 'channel') : channelId(field(request.json, 'channel')),
      editedBy: (request) => (isUpdate(request) ? Number(field(request.json, 'ts').split('.')[1]) : undefined),
      missing: json({ ok: false, error: 'message_not_found' }),
    },
  },
  msgapp: {
    success: (_request, nth) => json({ ok: true, result: { message_id: nth } }),
    openBot: (messages) => new Bot(messages),
    limited: (retry_after) =>
      appError(429, `Too Many Requests: retry after ${retry_after}`, { parameters: { retry_after } }),
    editing: {
      chatOf: ({ json: message }) => field(message, 'chat_id'),
      editedBy: ({ path, json: message }) =>
        path.endsWith('/editMessageText') ? Number(field(message, 'message_id')) : undefined,
      missing: appError(400, 'Bad Request: message to edit not found'),
      unchanged: appError(400, 'Bad Request: message is not modified'),
    },
  },
  messenger: {
    /** The token is a 64-bit number, as the provider's are. */
    success: (_request, nth) => ({
      body: `{"status":0,"status_message":"ok","message_token":5741311803571${String(nth).padStart(6, '0')}}`,
    }),
    limited: () => json({ status: 12, status_message: 'too many requests' }),
  },
  officechat: { success: () => ({ status: 202, body: '' }), limited: tooMany },
  workchat: {
    success: () => json({ code: 0, msg: 'success', data: {} }),
    limited: () => json({ code: 11232, msg: 'frequency limited', data: {} }),
  },
  ntfy: {
    success: ({ json: message }, nth) => {
      const sequence_id = sequenceOf(message)
      return json({
        id: `push${nth}`,
        ...(sequence_id && { sequence_id }),
        event: 'message',
        topic: field(message, 'topic'),
      })
    },
    limited: () => pushError(42901, 'limit reached: too many requests, please be nice'),
    editing: {
      chatOf: ({ json: message }) => field(message, 'topic'),
      editedBy: () => undefined,
      sequenceOf: ({ json: message }) => sequenceOf(message),
      missing: pushError(40401, 'page not found'),
    },
  },
  pagerduty: { success: () => ({ status: 202, body: { status: 'success', message: 'Event processed' } }) },
  incident_io: { success: () => ({ status: 202, body: { status: 'success', message: 'Event accepted' } }) },
  aws_incident_manager: {
    success: ({ path }, nth) => {
      if (path === '/listIncidentRecords') return json({ incidentRecordSummaries: [] })
      const arn = `arn:aws:ssm-incidents::111122223333:incident-record/simulated/${nth}`
      return path === '/startIncident' ? json({ incidentRecordArn: arn }) : { status: 204, body: '' }
    },
  },
  servicenow: {
    success({ method }, nth) {
      if (method === 'GET') return json({ result: [] })
      return { status: method === 'POST' ? 201 : 200, body: { result: { sys_id: String(nth).padStart(32, '0') } } }
    },
  },
  webhook: { success: () => json({ ok: true }) },
  gateway: { success: () => ({ status: 202, body: '' }) },
} satisfies { readonly [kind: string]: HttpKind }

function json(body: object): Reply {
  return { status: 200, body }
}

/** An error of ntfy; the first digits of its code are the status. */
export function pushError(code: number, error: string): Reply {
  const http = Math.floor(code / 100)
  return { status: http, body: { code, http, error } }
}

/** Returns the sequence id of a message for ntfy; undefined: it has none. */
function sequenceOf(message: unknown): string | undefined {
  return field(message, 'sequence_id') || undefined
}

function isUpdate({ path }: Received): boolean {
  return path.endsWith('/chat.update')
}

/** Returns the id of a channel that is given by its name or its id. An update that gives the name finds no message. */
function channelId(channel: string): string {
  return /^C[A-Z0-9]+$/.test(channel) ? channel : `C${channel.toUpperCase().replace(/[^A-Z0-9]/g, '')}`
}
