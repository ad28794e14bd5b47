import type { ZodType } from 'zod'
import type { ChannelName, Outcome } from '../domain/delivery.ts'
import type { Message, TextRules } from '../domain/message.ts'
import type { Post } from '../outbound/provider-client.ts'

/** One enabled channel. `send` translates the provider's answer into an outcome and never throws for it. */
export interface Channel {
  /** Key of the rate limit and the circuit that this message counts against; holds no secret. */
  destination(message: Message): string
  /**
   * `signal`: aborted when the delivery deadline passes; then the outcome is a retry that may duplicate. `onConnected`: called when a
   * connection had to be made for it and stands, by channels that can tell.
   */
  send(message: Message, signal: AbortSignal, onConnected?: () => void): Promise<Outcome>
  /** Closes connections; in-flight sends end first. */
  close(): Promise<void>
}

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** What each kind of channel is, before anybody configures it. One file a kind, one line in `index.ts`. */
export interface ChannelKind<Options> {
  readonly name: ChannelName
  /** The kind's own keys below `alert.<name>`, with their defaults; the keys every channel takes are added by the configuration. */
  readonly options: ZodType<Options>
  readonly text: TextRules
  /** A message can answer an earlier one, so that both are read together. */
  readonly threads?: true
  /** From the provider's documentation. */
  readonly defaults: { readonly concurrency: number; readonly rate: Rate }
  create(options: Options, deps: ChannelDeps): Channel
}

/** What a channel may use of the outside world. */
export interface ChannelDeps {
  /** Every outbound HTTP request of a channel goes through it. */
  readonly post: Post
  /** Where the console channel prints. */
  print(text: string): void
  /** Epoch milliseconds. */
  now(): number
}
