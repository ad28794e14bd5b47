import { openButtons, testButton } from '../../src/answers/buttons.ts'
import { answerKey } from '../../src/answers/token.ts'
import type { MessageDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { SendBoot } from '../wiring/boot.ts'
import type { AckKey } from './ack-key.ts'

/** A phone has no account that a press could name: who knows a topic may press for a week. */
const PHONE_MS = 7 * 24 * 3_600_000

export type Buttons = NonNullable<ReturnType<ReturnType<typeof openButtonsOf>>>

/**
 * Returns the buttons of a channel's messages; undefined where people do not answer from it. Opens the key of the tokens
 * only when a channel has buttons.
 */
export function openButtonsOf({ answering, buttons }: SendBoot, ackKey: Pick<AckKey, 'open'>, now: () => number) {
  if (answering.length === 0) return () => undefined
  const key = answerKey(ackKey.open())
  const partOf = openButtons(key, buttons)
  return (channel: string) => {
    if (!answering.some((name) => name === channel)) return undefined
    const phone = (topic = '') => (channel === 'ntfy' ? { topic, expiresAt: now() + PHONE_MS } : undefined)
    return {
      of: ({ answers, target }: Pick<MessageDispatch, 'answers' | 'target'>) =>
        answers && partOf(answers, now(), phone(target)),
      test: (target: string | undefined) => testButton(key, phone(target)),
    }
  }
}
