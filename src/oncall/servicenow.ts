import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Page } from '../domain/delivery/dispatch.ts'
import { severityRank } from '../domain/severity.ts'
import {
  destinationKey,
  destinationOf,
  type PostRequest,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../outbound/provider-client.ts'
import { accepted, unreadable } from '../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../outbound/response-outcome.ts'
import { parseObject } from '../text/json-object.ts'
import type { ProviderSettings } from './options.ts'
import { dedupKeyOf, lateMs, payloadOf, summaryOf } from './page.ts'
import type { PageLinks, ProviderKind } from './provider.ts'

/** Lengths of the columns `short_description` and `correlation_id`. */
const MAX_SUMMARY = 160
const MAX_KEY = 100
/** Length of the column `message_key` of events. */
const MAX_EVENT_KEY = 1_024
const IN_PROGRESS = '2'
const RESOLVED = '6'
/** Severities of events and urgencies of records, by severity rank. An event of severity 0 clears its alert. */
const SEVERITIES = ['1', '2', '4', '5', '5']
const URGENCIES = ['1', '1', '2', '3', '3']

/** ServiceNow, Table API: records that are found by `correlation_id`, or events that are joined by `message_key`. */
export const servicenow: ProviderKind<ProviderSettings['servicenow']> = {
  create(options, { post, links, now }) {
    const { instanceUrl, otherInstanceUrls: others, username, password, token, table } = options
    const basic = Buffer.from(`${username}:${password}`).toString('base64')
    const client: ProviderClient = { post, secrets: [password, token, basic], now }
    const headers = {
      authorization: token === '' ? `Basic ${basic}` : `Bearer ${token}`,
      accept: 'application/json',
    }
    return {
      destination: ({ target }) => `servicenow/${destinationKey(target, others)}`,
      async send(page, signal, onConnected) {
        const instance = destinationOf(page.target, instanceUrl, others)
        if (instance === undefined) return unknownTarget(page.target ?? '')
        const at = `${instance}/api/now/table/${encodeURIComponent(table)}`
        const call: Call = { at, request: { headers, signal, onConnected }, client }
        const details = detailsOf(page, links, now())
        return table === 'em_event' ? sendEvent(page, call, details) : sendRecord(page, call, { options, details })
      },
    }
  },
}

interface Call {
  /** Address of the table. */
  readonly at: string
  readonly request: Omit<PostRequest, 'url' | 'json'>
  readonly client: ProviderClient
}

interface Details {
  readonly summary: string
  /** The title, the links and what else is known, for people. */
  readonly text: string
  readonly json: object
}

function detailsOf(page: Page, links: PageLinks, now: number): Details {
  const { id, service, severity, sender, fingerprint } = page
  const json = {
    incident_id: id,
    fingerprint,
    service,
    severity,
    sender,
    late_ms: lateMs(page, now),
    content: payloadOf(page),
  }
  const text = [page.title, links.ack(page), links.incident(page), JSON.stringify(json)]
  return {
    summary: summaryOf(page, { now, max: MAX_SUMMARY }),
    text: text.filter((line) => line !== undefined).join('\n\n'),
    json,
  }
}

async function sendEvent(page: Page, { at, request, client }: Call, { text, json }: Details): Promise<Outcome> {
  if (page.signal === 'acknowledge') return { kind: 'sent', note: 'ServiceNow events cannot be acknowledged' }
  const event = {
    source: 'Tocsin',
    node: page.service || page.sender,
    type: page.sender,
    severity: page.signal === 'resolve' ? '0' : byRank(SEVERITIES, page.severity),
    description: text,
    message_key: dedupKeyOf(page.fingerprint, MAX_EVENT_KEY),
    additional_info: JSON.stringify(json),
  }
  return postJson(client, { ...request, url: at, json: event }, created)
}

/**
 * Finds the open record of the problem first: a repeated trigger makes no second one. A trigger whose search fails makes
 * one all the same, because two pages are better than none.
 */
async function sendRecord(
  page: Page,
  { at, request, client }: Call,
  { options, details }: { readonly options: ProviderSettings['servicenow']; readonly details: Details },
): Promise<Outcome> {
  const key = dedupKeyOf(page.fingerprint, MAX_KEY)
  const query = new URLSearchParams({
    sysparm_query: `correlation_id=${key}^active=true`,
    sysparm_fields: 'sys_id',
    sysparm_limit: '1',
  })
  const found = await postJson(client, { ...request, method: 'GET', url: `${at}?${query}`, json: null }, firstRecord)
  if (page.signal === 'trigger') {
    if ('id' in found && found.id !== '') return { kind: 'sent', messageId: found.id, note: 'it has an open record' }
    return postJson(client, { ...request, url: at, json: recordOf(page, key, details) }, created)
  }
  if (!('id' in found)) return found
  if (found.id === '') return { kind: 'sent', note: 'it has no open record' }
  const by = page.by === undefined ? '' : ` by ${page.by}`
  const change =
    page.signal === 'acknowledge'
      ? { state: IN_PROGRESS, work_notes: `Acknowledged${by}` }
      : { state: RESOLVED, close_code: options.closeCode, close_notes: `Resolved${by}` }
  const json = { correlation_id: key, ...change }
  return postJson(client, { ...request, method: 'PATCH', url: `${at}/${found.id}`, json }, changed)
}

function recordOf(page: Page, key: string, { summary, text }: Details) {
  const urgency = byRank(URGENCIES, page.severity)
  return {
    short_description: summary,
    description: text,
    urgency,
    impact: urgency,
    correlation_id: key,
    correlation_display: 'Tocsin',
  }
}

/** An incident without a severity that pages is at least an error. */
function byRank(values: readonly string[], severity: string): string {
  return values[severity === '' ? 1 : severityRank(severity)] ?? values.at(-1) ?? ''
}

/** Reads the search: the id of the first record, '' when there is none. */
function firstRecord(answer: PostAnswer, context: ReadContext): { readonly id: string } | Outcome {
  if (!accepted(answer)) return outcomeOfStatus(answer, context)
  const result = parseObject(answer.body)?.result
  if (!Array.isArray(result)) return { ...unreadable(answer, context), mayDuplicate: false }
  return { id: idOf(result[0]) }
}

/** Reads the answer to a new record or event. */
function created(answer: PostAnswer, context: ReadContext): Outcome {
  if (!accepted(answer)) return outcomeOfStatus(answer, context)
  const messageId = idOf(parseObject(answer.body)?.result)
  return messageId === '' ? unreadable(answer, context) : { kind: 'sent', messageId }
}

/** Reads the answer to a change, which can be repeated without harm. */
function changed(answer: PostAnswer, context: ReadContext): Outcome {
  const outcome = created(answer, context)
  return outcome.kind === 'retry' ? { ...outcome, mayDuplicate: false } : outcome
}

function idOf(record: unknown): string {
  const id = typeof record === 'object' && record !== null && 'sys_id' in record ? record.sys_id : ''
  return typeof id === 'string' && /^[0-9a-f]{32}$/i.test(id) ? id : ''
}
