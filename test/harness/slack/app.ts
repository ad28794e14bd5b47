import { createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Received, Reply } from '../../../src/simulator/exchange.ts'
import { startStandIn } from '../providers.ts'
import { until } from '../until.ts'
import { type AppSocket, startSocketServer } from './socket-server.ts'

export const APP = {
  id: 'A0TOCSIN',
  team: 'T0ALERTS',
  token: 'xoxb-stand-in',
  appToken: 'xapp-1-A0TOCSIN-stand-in',
  signingSecret: '8f742231b10e8888abcd99yyyzzz85a5',
}

/** An app of Slack with one workspace: its Web API, and the server of its sockets. */
export async function startSlackApp(t: TestContext) {
  const sockets = await startSocketServer(t, APP.id)
  const chat = await startStandIn(t, 'chatws')
  chat.script = (request) => ownMethod(request, sockets.address)
  const calls = (method: string) => chat.requests.filter(({ path }) => path === `/api/${method}`)
  return {
    chat,
    sockets,
    calls,
    /** Resolves with the open connections when there are so many and as many were opened. */
    connected: (open: number, opened = open): Promise<AppSocket[]> =>
      until(sockets.open, (each) => each.length === open && sockets.sockets.length >= opened),
  }
}
export type SlackApp = Awaited<ReturnType<typeof startSlackApp>>

function ownMethod({ path, headers }: Received, address: () => string): Reply | undefined {
  const is = (token: string) => headers.authorization === `Bearer ${token}`
  const refusal = { status: 200, body: { ok: false, error: 'invalid_auth' } }
  switch (path) {
    case '/api/auth.test':
      return is(APP.token) ? ok({ url: 'https://alerts.slack.com/', team_id: APP.team, user_id: 'U0BOT' }) : refusal
    case '/api/apps.connections.open':
      return is(APP.appToken) ? ok({ url: address() }) : refusal
    case '/api/chat.postEphemeral':
      return ok({ message_ts: '1700000001.000001' })
    default:
      return undefined
  }
}
const ok = (more: object): Reply => ({ status: 200, body: { ok: true, ...more } })

/** Returns the payload of a press, with all that Slack sends; `over` replaces keys. */
export function blockActions(token: string, over: { readonly [key: string]: unknown } = {}) {
  return {
    type: 'block_actions',
    user: { id: 'U0ADA', username: 'ada.l', name: 'ada.l', team_id: APP.team },
    api_app_id: APP.id,
    token: 'deprecated-verification-token',
    container: {
      type: 'message_attachment',
      message_ts: '1700000000.000001',
      attachment_id: 1,
      channel_id: 'C0ALERTS',
    },
    trigger_id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3',
    team: { id: APP.team, domain: 'alerts' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: 'C0ALERTS', name: 'alerts' },
    message: { type: 'message', ts: '1700000000.000001', bot_id: 'B0BOT', text: 'Checkout is slow', attachments: [] },
    response_url: 'http://169.254.169.254/actions/T0ALERTS/1232321423432/D09sSasdasdAS9091209',
    actions: [
      {
        type: 'button',
        action_id: `tocsin.${token.slice(1, token.indexOf('.'))}`,
        block_id: 'tocsin',
        text: { type: 'plain_text', text: 'Acknowledge', emoji: true },
        value: token,
        action_ts: '1700000002.123456',
      },
    ],
    ...over,
  }
}

/** Returns the request that Slack sends for a payload: its body and signed headers. @param at epoch milliseconds */
export function slackRequest(payload: object, at: number, secret = APP.signingSecret) {
  const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`
  const timestamp = String(Math.floor(at / 1_000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    body: Buffer.from(body),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  }
}
