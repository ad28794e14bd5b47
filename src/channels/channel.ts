import type { ZodType } from 'zod'
import type { ChannelName, KnownTargets, Outcome } from '../domain/delivery/delivery.ts'
import type { Message, TextRules } from '../domain/delivery/message.ts'
import type { NetworkSettings } from '../outbound/network.ts'
import type { Post } from '../outbound/provider-client.ts'

/** One enabled channel, on the send thread. It keeps no queue and decides nothing about retries. */
export interface Channel {
  /** Returns the key of the destination's rate limit and circuit breaker. It holds no secret. */
  destination(message: Message): string
  /**
   * Sends one message and translates the provider's answer into an outcome. Never rejects for what the provider
   * answers; an error it throws is a bug.
   * @param signal aborted when the delivery deadline passes: the outcome is then a retry that may duplicate
   * @param onConnected called when a new connection was needed and stands, by channels that can tell
   */
  send(message: Message, signal: AbortSignal, onConnected?: () => void): Promise<Outcome>
  /**
   * Replaces the text of a message that `send` has sent. The same edit twice does no harm: its outcome never may
   * duplicate. `gone` when the message cannot be edited any more. Absent where the provider cannot edit.
   * @param messageId as the outcome of `send` gave it
   * @param signal as for `send`
   */
  edit?(message: Message, messageId: string, signal: AbortSignal, onConnected?: () => void): Promise<Outcome>
  /** Closes connections of its own; in-flight sends end first. */
  close?(): Promise<void>
}

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** When many incidents become one digest. */
export interface StormSettings {
  readonly enable: boolean
  /** Time within which every incident is sent, in a message of its own or in a digest. */
  readonly withinMs: number
  /** Messages that a person can read at each destination: beyond it a storm begins. */
  readonly rate: Rate
}

/** The destination that stands in for a failing one. */
export interface Fallback {
  readonly channel: ChannelName
  /** Name of another destination of the channel; absent: its default one. */
  readonly target?: string
}

/** Settings of one channel. */
export interface ChannelSettings {
  readonly name: ChannelName
  readonly enable: boolean
  readonly templatePath: string
  /** For incidents of the log agent; '': they have the channel's template. */
  readonly agentTemplatePath: string
  /** Deliveries under way at once. */
  readonly concurrency: number
  readonly rate: Rate
  /** Capacity of the sender's mailbox. */
  readonly mailbox: number
  readonly storm: StormSettings
  readonly network: NetworkSettings
  /** Destination of its untold incidents when one of its own fails; absent: they wait. */
  readonly onFailure?: Fallback
  /** For `create` of the channel's adapter, checked against the `options` of its kind. */
  readonly options: unknown
}

/** Declares one kind of channel: a file in `kinds/` and a line in `index.ts`. Its adapter sends. */
export interface ChannelKind<Options> {
  readonly name: ChannelName
  /**
   * The kind's own keys below `alert.<name>`, with their defaults. `src/config` adds the keys that all channels have.
   */
  readonly options: ZodType<Options>
  readonly text: TextRules
  /** Returns the other destinations. Absent: the kind has none. */
  targets?(options: Options): KnownTargets
  /**
   * Form of a person's address, which becomes one of the `others` of the options: `withAddresses`. Absent: the kind
   * reaches no single person.
   */
  readonly person?: ZodType<string, string>
  /** Returns one sentence for each setting that works and may not be meant, for `tocsin check`. */
  advice?(options: Options): string[]
  /** A message can answer an earlier one: the message of a resolved incident that of the firing one. */
  readonly threads?: true
  /**
   * Every message can be edited after it was sent, so updates of digests and repeats are edits. Absent: they are new messages,
   * also where the channel edits some messages (`Channel.edit`).
   */
  readonly edits?: true
  /** Returns how people's presses of buttons come back; 'off': messages have no buttons. Absent: they never have. */
  answersMode?(options: Options): string
  /** Defaults that suit the provider's documented limits. */
  readonly defaults: {
    readonly concurrency: number
    readonly rate: Rate
    /** Values that replace `rate` and `noise.storm.within` in a storm. */
    readonly storm?: { readonly rate?: Rate; readonly withinMs?: number }
  }
}

/** Sends for one kind of channel: a file in `adapters/`, which only the send thread loads, when the channel is enabled. */
export interface Adapter<Options> {
  /** Accepts only options that the kind's `options` schema has parsed. */
  create(options: Options, deps: ChannelDeps): Channel
}

export interface ChannelDeps {
  /** Makes all HTTP requests of a channel, as its `network` says. */
  readonly post: Post
  /** For channels with a protocol of their own. */
  readonly network: NetworkSettings
  /** Writes to standard output, for the console channel. */
  print(text: string): void
  /** Address of the service, for links to its pages; '' when it has none. */
  readonly publicHost: string
  /** Epoch milliseconds. */
  now(): number
}
