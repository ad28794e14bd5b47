import { LRUCache } from 'lru-cache'
import type { AnswerPart } from '../../src/answers/buttons.ts'
import type { Channel } from '../../src/channels/channel.ts'
import type { CircuitBreakers } from '../../src/channels/destination/circuit-breakers.ts'
import type { DestinationThrottle } from '../../src/channels/destination/throttle.ts'
import { messageOf, UNRENDERED } from '../../src/channels/message.ts'
import type { Outcome } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, MessageDispatch, PagerDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Message } from '../../src/domain/delivery/message.ts'
import { repeatsLine } from '../../src/domain/repeats.ts'
import type { Provider } from '../../src/oncall/provider.ts'
import type { Rendered, RenderItem } from '../../src/render/pool/pool.ts'
import { groupText } from '../../src/render/text/group-text.ts'

/** A dispatch in the form that is sent. */
export interface Prepared<Message> {
  readonly message: Message
  /** For the ledger; absent when there is none to keep. */
  readonly text?: string
  readonly renderMs: number
  /** Why the message goes out as plain text. */
  readonly renderFailure: string | undefined
}

/** The way out of a sender: a channel with its templates, or the on-call provider. */
export interface Transport<D extends Dispatch, Message> {
  readonly name: 'channel' | 'on-call provider'
  /** Returns the key of rate limit and circuit breaker. */
  destination(dispatch: D): string
  /** Results are parallel to the dispatches. */
  prepare(dispatches: readonly D[]): Promise<readonly Prepared<Message>[]>
  send(message: Message, signal: AbortSignal, onConnected: () => void): Promise<Outcome>
  close(): Promise<void>
}

/** The part of a throttle that a sender needs. */
export type TransportThrottle = Omit<DestinationThrottle, 'acquireRate' | 'states'>

/** A message for a channel. */
interface Outgoing {
  readonly message: Message
  readonly dispatch: MessageDispatch
}

interface ChannelDeps {
  readonly channel: Channel
  /** Path of the template for incidents of the log agent; '': they have the channel's. */
  readonly agentTemplate: string
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** Returns the URL that acknowledges the incident; undefined: no link. */
  ackUrl(dispatch: MessageDispatch): string | undefined
  /** Returns line and buttons of a message from which people answer; absent: none of the channel has any. */
  answers?(dispatch: MessageDispatch): AnswerPart | undefined
}

/** What a message gets from the sender besides its rendered text. */
interface Extras {
  readonly ackUrl: string | undefined
  readonly answers: AnswerPart | undefined
}

export function channelTransport({
  channel,
  agentTemplate,
  render,
  ackUrl,
  answers,
}: ChannelDeps): Transport<MessageDispatch, Outgoing> {
  const send = resolvingInThread()
  return {
    name: 'channel',
    destination: (dispatch) => channel.destination(messageOf(dispatch, UNRENDERED)),
    async prepare(dispatches) {
      const all = dispatches.map((dispatch) => ({
        dispatch,
        extras: { ackUrl: ackUrl(dispatch), answers: answers?.(dispatch) },
      }))
      const rendered = await render(all.map(({ dispatch, extras }) => itemOf(dispatch, agentTemplate, extras)))
      return all.map(({ dispatch, extras }, at) => preparedOf(dispatch, rendered[at] as Rendered, extras))
    },
    async send({ message, dispatch }, signal, onConnected) {
      const { edits } = dispatch
      if (edits === undefined) return send(dispatch, message, (whole) => channel.send(whole, signal, onConnected))
      return (await channel.edit?.(message, edits, signal, onConnected)) ?? CANNOT_EDIT
    },
    close: async () => channel.close?.(),
  }
}

/** Problems of a channel whose last message a resolution may still have to wait for. */
const MAX_RECENT = 1_000

/** A firing message, until its problem is resolved. */
interface Recent {
  readonly outcome: Promise<Outcome>
  isOver: boolean
}

/**
 * Sends messages one after another where they are of one problem: a resolution that comes while the firing message is on
 * the wire waits for it and replies to it; one that comes before storage has noted its id replies to it, too.
 */
function resolvingInThread() {
  const recent = new LRUCache<string, Recent>({ max: MAX_RECENT })
  return async (
    { kind, code, fingerprint }: MessageDispatch,
    message: Message,
    send: (message: Message) => Promise<Outcome>,
  ): Promise<Outcome> => {
    const key = `${code} ${fingerprint}`
    if (kind !== 'delivery') return send(message)
    if (message.status === 'firing') {
      const firing: Recent = { outcome: send(message), isOver: false }
      recent.set(key, firing)
      return firing.outcome.finally(() => {
        firing.isOver = true
      })
    }
    const firing = recent.get(key)
    // Of a message that is over, storage knows the id, or a later one.
    if (firing === undefined || (firing.isOver && message.inReplyTo !== undefined)) return send(message)
    const first = await firing.outcome.catch(() => undefined)
    // Meanwhile the problem may fire again.
    if (recent.get(key) === firing) recent.delete(key)
    const inReplyTo = first?.kind === 'sent' ? first.messageId : undefined
    return send({ ...message, ...(inReplyTo !== undefined && { inReplyTo }) })
  }
}

/** The outcome of an edit by a channel that cannot edit. */
const CANNOT_EDIT: Outcome = { kind: 'gone', reason: 'the channel cannot edit messages' }

function preparedOf(dispatch: MessageDispatch, rendered: Rendered, { ackUrl, answers }: Extras): Prepared<Outgoing> {
  const message = messageOf(dispatch, rendered, { ackUrl, buttons: answers?.buttons })
  const { renderMs, failure: renderFailure } = rendered
  return { message: { message, dispatch }, text: message.text, renderMs, renderFailure }
}

function itemOf(dispatch: MessageDispatch, agentTemplate: string, { ackUrl, answers }: Extras): RenderItem {
  const { id, title, service, severity, status, sender, source, createdAt, content, notice, repeats, group } = dispatch
  const template = dispatch.template ?? (sender === 'agent' && agentTemplate !== '' ? agentTemplate : undefined)
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  const lines = [
    ...(repeats ? [repeatsLine(repeats)] : []),
    ...(group ? [groupText(group)] : []),
    ...(answers?.line ? [answers.line] : []),
  ]
  return {
    content,
    facts,
    ...(ackUrl === undefined ? {} : { ackUrl }),
    ...(template !== undefined && { template }),
    ...(lines.length > 0 && { lastLine: lines.join('\n') }),
    ...(notice && { notice }),
  }
}

/** Pages have no template: the provider makes its own form of them. */
export function providerTransport<P extends PagerDispatch>(provider: Provider<P>): Transport<P, P> {
  return {
    name: 'on-call provider',
    destination: (page) => provider.destination(page),
    prepare: async (pages) => pages.map((message) => ({ message, renderMs: 0, renderFailure: undefined })),
    send: (page, signal, onConnected) => provider.send(page, signal, onConnected),
    async close() {},
  }
}

/** Returns a throttle without a rate: only the circuit breaker holds pages back. */
export function circuitThrottle(circuits: CircuitBreakers): TransportThrottle {
  return {
    deferMs: (destination) => circuits.openForMs(destination),
    enter() {},
    leave() {},
    acquire: async () => 0,
    tryStart(destination) {
      const { kind } = circuits.admit(destination)
      return kind === 'open' ? 'suspended' : kind
    },
    record: (destination, outcome) => circuits.record(destination, outcome),
    isOpen: (destination) => circuits.openForMs(destination) > 0,
    abandon() {},
  }
}
