import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
import { destinationKey, destinationOf, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { secretsOfUrl } from '../../text/scrub.ts'
import type { Adapter } from '../channel.ts'
import type { OfficechatOptions } from '../kinds/officechat.ts'

/** One destination and the form of its body. */
interface Flow {
  readonly url: string
  readonly bodyOf: (message: Message) => object
}

/** Microsoft Teams over a Power Automate flow trigger, or over a legacy Office 365 connector. */
export const officechat: Adapter<OfficechatOptions> = {
  create({ flowUrl, others, format, otherFormats }, { post, now }) {
    const main = officechatDestination(flowUrl, format)
    const named = new Map(
      [...others].map(([name, url]) => [name, officechatDestination(url, otherFormats.get(name) ?? format)]),
    )
    const secrets = [main, ...named.values()].flatMap(({ url }) => secretsOfUrl(url))
    const client = { post, secrets, now }
    return {
      destination: ({ target }) => destinationKey(target, named),
      async send(message, signal, onConnected) {
        const to = destinationOf(message.target, main, named)
        if (to === undefined) return unknownTarget(message.target ?? '')
        return postJson(client, { url: to.url, json: to.bodyOf(message), signal, onConnected }, read)
      },
    }
  },
}

function officechatDestination(url: string, format: OfficechatOptions['format']): Flow {
  return { url, bodyOf: BODIES[format === 'auto' ? bodyFormatOf(url) : format] }
}

/** Returns `text` for connectors. Some share a host with flow triggers, which have `/triggers/` in their path. */
function bodyFormatOf(url: string): 'message' | 'text' {
  const { hostname, pathname } = URL.parse(url) ?? { hostname: '', pathname: '' }
  if (hostname.endsWith('.webhook.office.com')) return 'text'
  return hostname.endsWith('.logic.azure.com') && !/\/triggers\//i.test(pathname) ? 'text' : 'message'
}

const BODIES = { message: messageBody, text: textBody, adaptive_card: cardBody }

function messageBody({ text }: Message) {
  return { message: text }
}
function textBody({ text }: Message) {
  return { text }
}
function cardBody({ text }: Message) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
    msteams: { width: 'Full' },
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

/** Reads an answer. A connector answers 200 and reports a failure behind it in the body. */
function read(answer: PostAnswer, context: ReadContext): Outcome {
  if (!accepted(answer)) return outcomeOfStatus(answer, context)
  const behind = /returned HTTP error (\d{3})/i.exec(answer.body)?.[1]
  if (behind !== undefined) return outcomeOfStatus({ ...answer, status: Number(behind) }, context)
  if (/delivery failed/i.test(answer.body)) return outcomeOfStatus({ ...answer, status: 502 }, context)
  const messageId = answer.headers['x-ms-workflow-run-id']
  return messageId === undefined ? { kind: 'sent' } : { kind: 'sent', messageId }
}
