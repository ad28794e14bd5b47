import type { DigestDetail } from '../../src/api/noise/digest.ts'
import { headlineOf } from './headline.ts'
import { Message } from './message.tsx'

/** The message of a digest as the channel shows it. */
export function DigestMessage({ of, text }: { readonly of: DigestDetail; readonly text: string }) {
  const headline = headlineOf(text)
  const at = of.posted_at ?? of.opened_at
  return <Message channel={of.channel} text={text} subject={headline} title={headline} status="firing" at={at} />
}
