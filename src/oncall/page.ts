import type { Page } from '../domain/oncall.ts'
import { graphemeStart } from '../text/graphemes.ts'

/** What handing out and connecting may take. */
const PUNCTUAL_MS = 1_000
/** From here on a person has to know before anything else. */
const NOTABLE_MS = 30_000

/** How long after its time the page is made; 0 when it is on time. */
export function lateMs({ dueAt, signal }: Page, now: number): number {
  const late = now - dueAt
  return signal === 'trigger' && late > PUNCTUAL_MS ? late : 0
}

/** What the person reads first, at most `max` UTF-16 units. */
export function summaryOf(page: Page, { now, max }: { now: number; max: number }): string {
  const late = lateMs(page, now)
  const mark = late < NOTABLE_MS ? '' : ` (${spanOf(late)} late)`
  return graphemeStart(page.title, max - mark.length) + mark
}

function spanOf(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return minutes < 1 ? 'under a minute' : `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** The payload as it was sent; undefined when the page has none. */
export function payloadOf({ content }: Page): unknown {
  return content === undefined ? undefined : JSON.parse(new TextDecoder().decode(content))
}
