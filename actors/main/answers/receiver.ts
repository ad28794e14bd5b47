import type { Press } from '../../../src/answers/press.ts'
import type { AnswerResult } from '../../../src/domain/answer.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { HttpClient } from '../../../src/outbound/http-client.ts'
import type { NetworkSettings } from '../../../src/outbound/network.ts'
import type { Log } from '../../../src/telemetry/log.ts'

/** What became of a press, with a sentence for the person. */
export interface Pressed {
  readonly result: AnswerResult
  readonly text: string
  /** It repeats an earlier press, whose result this is. */
  readonly again?: true
}

/** State of the way back from one provider. */
export interface ReceiverState {
  /** `refused`: the provider does not take the credentials, or another program has the bot. */
  readonly state: 'off' | 'waiting' | 'connecting' | 'up' | 'backing_off' | 'refused'
  /** Epoch milliseconds. */
  readonly since: number
  readonly lastError?: string
}

export interface ReceiverDeps {
  /**
   * Checks and stores a press within 2.5 s. Undefined: it was not stored, and must not be acknowledged; a poll asks for it again.
   * Never rejects.
   */
  press(press: Press): Promise<Pressed | undefined>
  /** As the channel's `network` says. */
  readonly http: HttpClient
  readonly network: NetworkSettings
  /** Address of the service; '' when it has none. */
  readonly publicHost: string
  readonly clock: Clock
  readonly log: Log
  /** Uniform in [0, 1). */
  random(): number
  changed(state: Omit<ReceiverState, 'since'>): void
  /** A sentence for a person did not reach her. */
  replyDropped(): void
}

export interface Receiver {
  /**
   * Takes a press over HTTP; absent: presses come over a connection of ours. Rejects with answer_signature, answer_token,
   * answer_busy.
   */
  take?(request: PublicRequest): Promise<PublicAnswer>
  /** Takes no further press; resolves when those under way are answered, or after 2.5 s. */
  close(): Promise<void>
}

/** Starts the way back from a provider. `Options` are those of the channel. */
export type StartReceiver<Options> = (options: Options, deps: ReceiverDeps) => Receiver
