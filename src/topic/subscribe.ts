import type { Topic } from '../domain/topic.ts'
import type { Outbound } from './outbound.ts'

interface SubscribeOptions {
  readonly topic: Topic
  /** Public address of the route, with its query. */
  readonly endpoint: string
  /** Both empty: the cloud client looks in its own places (AWS_ACCESS_KEY_ID, the machine's role). */
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const DEADLINE_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Asks the topic to call the endpoint; asking again changes nothing. Resolves with true when it does so already, with false when it will first
 * ask for a confirmation. AWS_ENDPOINT_URL_SNS counts. The client is loaded here: it weighs more than the rest of the intake together.
 */
export async function subscribe(options: SubscribeOptions, outbound: Outbound): Promise<boolean> {
  const { topic, endpoint } = options
  const { SNSClient, SubscribeCommand } = await import('@aws-sdk/client-sns')
  const client = new SNSClient({
    region: topic.region,
    ...credentialsOf(options),
    // Repeating is decided once, by whoever asks.
    maxAttempts: 1,
    requestHandler: handlerOver(outbound),
  })
  const Protocol = endpoint.startsWith('https:') ? 'https' : 'http'
  const command = new SubscribeCommand({ TopicArn: topic.arn, Protocol, Endpoint: endpoint })
  try {
    const { SubscriptionArn } = await client.send(command)
    return SubscriptionArn?.startsWith('arn:') ?? false
  } finally {
    client.destroy()
  }
}

function credentialsOf({ accessKeyId, secretAccessKey }: SubscribeOptions) {
  return accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }
}

/** What the client signed and wants sent. */
interface ClientRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly query?: { readonly [name: string]: string | readonly string[] | null }
  readonly headers: { readonly [name: string]: string }
  readonly body?: unknown
}

/** The client's own handler knows no proxies. */
function handlerOver(outbound: Outbound) {
  return {
    async handle({ protocol, hostname, port, path, headers, body }: ClientRequest) {
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`
      // `host` is undici's to write, from the address.
      const { host: _, ...sent } = headers
      const answer = await outbound.send({
        url,
        method: 'POST',
        headers: sent,
        body: bytesOf(body),
        maxBytes: MAX_ANSWER_BYTES,
        deadlineMs: DEADLINE_MS,
      })
      return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } }
    },
  }
}

function bytesOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('the body of the request is neither text nor bytes')
}
