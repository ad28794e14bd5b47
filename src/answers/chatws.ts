import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type JsonObject, parseObject } from '../text/json-object.ts'
import type { Press } from './press.ts'

/** Where presses have to come from. */
export interface ChatwsOrigin {
  readonly team: string
  /** Of an organization with several workspaces; '' without one. */
  readonly enterprise: string
  /** Absent over HTTP, where the signature is that of the app. */
  readonly app?: string | undefined
}

/**
 * What Slack says that a person did.
 * - press: of a button of this service
 * - other: nothing of this service, such as a press of a link
 * - refused: of another app or workspace, or of an unknown shape
 */
type ChatwsPayload =
  | { readonly kind: 'press'; readonly press: Press; readonly isTest: boolean; readonly thread?: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'refused'; readonly why: string }

const ID = z.string().regex(/^[A-Z0-9]{1,24}$/)
const TIME = z.string().regex(/^\d{1,12}\.\d{1,9}$/)
const owner = z.object({ id: ID }).nullish()

const PRESS = z.object({
  api_app_id: ID,
  team: owner,
  enterprise: owner,
  user: z.object({ id: ID, username: z.string().default(''), team_id: ID.optional() }),
  channel: z.object({ id: ID }),
  container: z.object({ message_ts: TIME, thread_ts: TIME.optional() }),
  actions: z.tuple([z.object({ value: z.string().max(100), action_ts: TIME })]),
})
/** The adapter of the channel gives its buttons such ids. */
const ours = z.object({ action_id: z.string().startsWith('tocsin.') })
const OURS = z.object({ type: z.literal('block_actions'), actions: z.tuple([ours]) })

/** Reads the payload of an interaction. Nothing of it is called or shown: its `response_url` is not used. */
export function readPayload(payload: JsonObject, { team, enterprise, app }: ChatwsOrigin): ChatwsPayload {
  if (!OURS.safeParse(payload).success) return { kind: 'other' }
  const read = PRESS.safeParse(payload).data
  if (read === undefined) return { kind: 'refused', why: 'its payload has an unknown shape' }
  if (app !== undefined && read.api_app_id !== app) return { kind: 'refused', why: 'it is of another app' }
  const isOurs = read.team?.id === team || (enterprise !== '' && read.enterprise?.id === enterprise)
  if (!isOurs) return { kind: 'refused', why: 'it is of another workspace' }
  const [{ value: token, action_ts: at }] = read.actions
  const { user, channel, container } = read
  const isGuest = user.team_id === undefined || ![team, enterprise].includes(user.team_id)
  return {
    kind: 'press',
    press: {
      token,
      key: ['chatws', team, channel.id, container.message_ts, user.id, at].join(' '),
      actor: { id: user.id, name: user.username, isGuest },
      place: channel.id,
      isDirect: channel.id.startsWith('D'),
      messageId: `${channel.id}/${container.message_ts}`,
    },
    isTest: token.startsWith('1t.'),
    ...(container.thread_ts !== undefined && { thread: container.thread_ts }),
  }
}

/** A signature is good for so long before and after its time, against replays. */
const MAX_AGE_S = 300

/**
 * Returns whether Slack signed a request: version `v0`, HMAC-SHA-256 of the raw body.
 *
 * @param now epoch milliseconds
 */
export function isSigned({ headers, body }: SignedRequest, secret: string, now: number): boolean {
  const at = headers['x-slack-request-timestamp'] ?? ''
  if (secret === '' || !/^\d{1,12}$/.test(at) || Math.abs(now / 1_000 - Number(at)) > MAX_AGE_S) return false
  const expected = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${at}:`).update(body).digest('hex')}`)
  const given = Buffer.from(headers['x-slack-signature'] ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

interface SignedRequest {
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

/** Returns the payload of a request's form; undefined when it has none. */
export const payloadOf = (body: Buffer): JsonObject | undefined =>
  parseObject(new URLSearchParams(body.toString()).get('payload') ?? '')
