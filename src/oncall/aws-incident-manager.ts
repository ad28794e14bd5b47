import {
  CreateTimelineEventCommand,
  ListIncidentRecordsCommand,
  SSMIncidentsClient,
  StartIncidentCommand,
  UpdateIncidentRecordCommand,
} from '@aws-sdk/client-ssm-incidents'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Page } from '../domain/delivery/dispatch.ts'
import { severityRank } from '../domain/severity.ts'
import { awsHandler } from '../outbound/aws-handler.ts'
import { destinationKey, destinationOf, type Post, unknownTarget } from '../outbound/provider-client.ts'
import { unreadable } from '../outbound/response-body.ts'
import { outcomeOfFailure, outcomeOfStatus, PostFailure, type ReadContext } from '../outbound/response-outcome.ts'
import { scrub } from '../text/scrub.ts'
import type { ProviderSettings } from './options.ts'
import { digestOf, lateMs, payloadOf, summaryOf } from './page.ts'
import type { PageLinks, ProviderKind } from './provider.ts'

const MAX_TITLE = 200
const MAX_RAW_DATA = 10_000
/** Pages of open incidents that are searched, of 100 each. */
const MAX_LISTS = 20
/** Impacts by severity rank: 1 is critical, 5 none. */
const IMPACTS = [1, 2, 3, 4, 5]

/**
 * AWS Systems Manager Incident Manager. The source of an incident record holds a digest of the fingerprint: by it the
 * open record of a problem is found again.
 */
export const awsIncidentManager: ProviderKind<ProviderSettings['awsIncidentManager']> = {
  create(options, { post, links, now }) {
    const { responsePlanArn, otherResponsePlanArns: others, secretAccessKey } = options
    const client = clientOf(options, post)
    return {
      destination: ({ target }) => `aws_incident_manager/${destinationKey(target, others)}`,
      async send(page, abortSignal) {
        const plan = destinationOf(page.target, responsePlanArn, others)
        if (plan === undefined) return unknownTarget(page.target ?? '')
        const call = { client, abortSignal, context: { secrets: [secretAccessKey], now: now() } }
        return page.signal === 'trigger' ? start(page, { ...call, plan, links }) : update(page, call)
      },
    }
  },
}

interface Call {
  readonly client: SSMIncidentsClient
  readonly abortSignal: AbortSignal
  readonly context: ReadContext
}

/** A trigger whose search fails starts an incident all the same, because two pages are better than none. */
async function start(page: Page, call: Call & { readonly plan: string; readonly links: PageLinks }): Promise<Outcome> {
  const { client, abortSignal, context, plan, links } = call
  const arn = await openRecord(page, call).catch(() => undefined)
  if (arn !== undefined) return { kind: 'sent', messageId: arn, note: 'it has an open incident' }
  const command = new StartIncidentCommand({
    // The same page, sent again, starts nothing.
    clientToken: page.id,
    responsePlanArn: plan,
    title: summaryOf(page, { now: context.now, max: MAX_TITLE }),
    impact: page.severity === '' ? 2 : (IMPACTS[severityRank(page.severity)] ?? 3),
    triggerDetails: {
      source: sourceOf(page),
      timestamp: new Date(page.createdAt),
      rawData: rawDataOf(page, context.now),
    },
    relatedItems: Object.entries({ Acknowledge: links.ack(page), Incident: links.incident(page) }).flatMap(
      ([title, url]) => (url === undefined ? [] : [{ title, identifier: { type: 'OTHER' as const, value: { url } } }]),
    ),
  })
  try {
    const { incidentRecordArn: messageId } = await client.send(command, { abortSignal })
    return messageId === undefined
      ? { kind: 'retry', reason: 'HTTP 200 without the name of the incident record', mayDuplicate: true }
      : { kind: 'sent', messageId }
  } catch (error) {
    return outcomeOfError(error, context)
  }
}

/** Incident Manager has no acknowledgement of an incident, so it becomes an event of the incident's timeline. */
async function update(page: Page, call: Call): Promise<Outcome> {
  const { client, abortSignal, context } = call
  try {
    const arn = await openRecord(page, call)
    if (arn === undefined) return { kind: 'sent', note: 'it has no open incident' }
    const by = page.by === undefined ? '' : ` by ${page.by}`
    if (page.signal === 'resolve')
      await client.send(new UpdateIncidentRecordCommand({ arn, status: 'RESOLVED' }), { abortSignal })
    else
      await client.send(
        new CreateTimelineEventCommand({
          incidentRecordArn: arn,
          eventTime: new Date(context.now),
          eventType: 'Custom Event',
          clientToken: `${page.id}-acknowledge`,
          eventData: JSON.stringify(`Acknowledged${by}`),
        }),
        { abortSignal },
      )
    return { kind: 'sent', messageId: arn }
  } catch (error) {
    const outcome = outcomeOfError(error, context)
    return outcome.kind === 'retry' ? { ...outcome, mayDuplicate: false } : outcome
  }
}

/** Returns the ARN of the open incident with the page's fingerprint; undefined when there is none. */
async function openRecord(page: Page, { client, abortSignal }: Call): Promise<string | undefined> {
  const source = sourceOf(page)
  let nextToken: string | undefined
  for (let list = 0; list < MAX_LISTS; list++) {
    const filters = [{ key: 'status', condition: { equals: { stringValues: ['OPEN'] } } }]
    const command = new ListIncidentRecordsCommand({ filters, maxResults: 100, nextToken })
    const answer = await client.send(command, { abortSignal })
    const found = answer.incidentRecordSummaries?.find((each) => each.incidentRecordSource?.source === source)
    if (found?.arn !== undefined) return found.arn
    nextToken = answer.nextToken
    if (!nextToken) break
  }
  return undefined
}

const sourceOf = ({ fingerprint }: Page) => `tocsin.${digestOf(fingerprint)}`

function rawDataOf(page: Page, now: number): string {
  const { id, service, severity, sender, fingerprint } = page
  const facts = { incident_id: id, fingerprint, service, severity, sender, late_ms: lateMs(page, now) }
  const whole = JSON.stringify({ ...facts, content: payloadOf(page) })
  return whole.length <= MAX_RAW_DATA ? whole : JSON.stringify(facts)
}

/** Opens the client over the connections of `post`, which use proxies; the AWS client's own do not. */
function clientOf(options: ProviderSettings['awsIncidentManager'], post: Post): SSMIncidentsClient {
  const { region, accessKeyId, secretAccessKey, apiUrl } = options
  return new SSMIncidentsClient({
    region,
    ...(apiUrl === '' ? {} : { endpoint: apiUrl }),
    ...(accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    // The pager decides about retries.
    maxAttempts: 1,
    requestHandler: awsHandler(({ body, signal = NEVER, ...request }) =>
      post({ ...request, json: typeof body === 'string' ? body : new TextDecoder().decode(body), signal }),
    ),
  })
}

const NEVER = new AbortController().signal

/** An error of the AWS client; with the answer, if there was one. */
interface ClientError extends Error {
  readonly $response?: {
    readonly statusCode: number
    readonly headers: { readonly [name: string]: string }
    readonly body?: Uint8Array
  }
}

/** Translates an error of the AWS client: of the connection, of the credentials, or of the service. */
function outcomeOfError(error: unknown, context: ReadContext): Outcome {
  if (error instanceof PostFailure) return outcomeOfFailure(error, context.secrets)
  const { name, message, $response: response } = error as ClientError
  const said = `${name}: ${message}`
  if (response === undefined) return { kind: 'retry', reason: scrub(said, context.secrets) }
  // Only errors of the service have such names. The others are about an answer that is not the service's.
  const body = name.endsWith('Exception') ? said : Buffer.from(response.body ?? '').toString()
  const answer = { status: response.statusCode, headers: response.headers, body }
  if (answer.status >= 200 && answer.status < 300) return unreadable(answer, context)
  // A conflict is with another change under way.
  if (answer.status === 409) return { kind: 'retry', reason: scrub(`HTTP 409: ${body}`, context.secrets) }
  return outcomeOfStatus(answer, context)
}
