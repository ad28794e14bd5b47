import type { Outcome } from '../domain/delivery/delivery.ts'
import type { GatewayPage } from '../domain/delivery/dispatch.ts'
import { pageHeadline } from '../domain/delivery/notice.ts'
import { type Post, type ProviderClient, postJson } from '../outbound/provider-client.ts'
import { outcomeOfStatus } from '../outbound/response-outcome.ts'
import { graphemeStart } from '../text/graphemes.ts'
import { oneLine } from '../text/one-line.ts'
import { secretsOfUrl } from '../text/scrub.ts'
import type { GatewaySettings } from './options.ts'
import type { Provider } from './provider.ts'
import { signatureOf } from './signature.ts'

export interface GatewayDeps {
  readonly gateways: ReadonlyMap<string, Pick<GatewaySettings, 'url' | 'secret'>>
  readonly post: Post
  /** Returns the link with which the person answers; undefined: there is none. */
  link(page: GatewayPage): string | undefined
  readonly publicHost: string
  /** Epoch milliseconds. */
  now(): number
}

/** Room of two text messages. */
const MAX_TEXT = 300

/** Opens the way to the gateways, programs of the operator that send text messages or call. A 2xx means that the program took the page; it reports the rest, see docs/gateways.md. */
export function openGateways({ gateways, post, link, publicHost, now }: GatewayDeps): Provider<GatewayPage> {
  return {
    destination: ({ gateway }) => `gateway:${gateway.name}`,
    async send(page, signal, onConnected): Promise<Outcome> {
      const { name, to } = page.gateway
      const gateway = gateways.get(name)
      if (gateway === undefined) return { kind: 'failed', reason: 'the gateway is not configured any more' }
      const { url, secret } = gateway
      const ackUrl = link(page)
      const secrets = [secret, to, ...(ackUrl === undefined ? [] : [ackUrl]), ...secretsOfUrl(url)]
      const client: ProviderClient = { post, secrets, now }
      const callbackUrl =
        publicHost === '' || page.gateway.test ? undefined : `${publicHost}/api/oncall/gateway/${name}`
      const json = JSON.stringify({ ...wordsOf(page), ack_url: ackUrl, callback_url: callbackUrl })
      const headers = { 'x-tocsin-signature': signatureOf(json, { secret, now: now() }) }
      return postJson(client, { url, headers, json, signal, onConnected }, outcomeOfStatus)
    },
  }
}

function wordsOf({ gateway: { id, to, test }, notice, mayDuplicate }: GatewayPage) {
  if (notice.kind === 'line')
    return { id, kind: test ? 'test' : 'stand_down', to, text: textOf(notice.text), may_duplicate: mayDuplicate }
  const { name: person, problems, lateMs } = notice
  return {
    ...{ id, kind: 'page', to, person, text: textOf(pageHeadline(notice)), problems },
    ...{ late_ms: lateMs, may_duplicate: mayDuplicate || notice.mayRepeat },
  }
}

/** Without the picture before it, which a voice would read out and for which a text message has half the room. */
const textOf = (line: string) => graphemeStart(oneLine(line.replace(/^\p{Emoji_Presentation} /u, '')), MAX_TEXT)
