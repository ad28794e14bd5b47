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
  const recent = recentlyFiring()
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
      const { edits, kind, status } = dispatch
      if (edits === undefined && kind === 'delivery' && status === 'firing')
        return recent.sent(dispatch, channel.send(message, signal, onConnected))
      if (edits === undefined) {
        const inReplyTo = kind === 'delivery' ? await recent.repliedTo(dispatch) : dispatch.inReplyTo
        return channel.send({ ...message, ...(inReplyTo !== undefined && { inReplyTo }) }, signal, onConnected)
      }
      return (await channel.edit?.(message, edits, signal, onConnected)) ?? CANNOT_EDIT
    },
    close: async () => channel.close?.(),
  }
}

/** Firing messages that are remembered: as many as may be on the wire at once. */
const REMEMBERED = 1_024

/** A firing message. */
interface Firing extends Pick<MessageDispatch, 'code' | 'fingerprint'> {
  readonly outcome: Promise<Outcome>
  isOver: boolean
}

/** Remembers the latest firing messages for the resolutions that come before storage knows what became of them. */
function recentlyFiring() {
  const ring: Firing[] = []
  let next = 0
  return {
    async sent({ code, fingerprint }: MessageDispatch, outcome: Promise<Outcome>): Promise<Outcome> {
      const firing: Firing = { code, fingerprint, outcome, isOver: false }
      ring[next] = firing
      next = (next + 1) % REMEMBERED
      try {
        return await outcome
      } finally {
        firing.isOver = true
      }
    },
    /**
     * Returns the id of the message that a resolution replies to. While the message is on the wire it is waited for; of one that
     * is over, storage knows the id, or a later one.
     */
    async repliedTo({ code, fingerprint, inReplyTo }: MessageDispatch): Promise<string | undefined> {
      for (let back = 1; back <= ring.length; back++) {
        const firing = ring.at(next - back)
        if (firing?.fingerprint !== fingerprint || firing.code !== code) continue
        if (firing.isOver && inReplyTo !== undefined) break
        const outcome = await firing.outcome.catch(() => undefined)
        return outcome?.kind === 'sent' ? (outcome.messageId ?? inReplyTo) : inReplyTo
      }
      return inReplyTo
    },
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
