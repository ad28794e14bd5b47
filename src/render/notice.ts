import type { Notice } from '../domain/commit.ts'
import type { TextRules } from '../domain/message.ts'
import { type FallbackText, markedUp } from './fallback.ts'
import { fit } from './fit.ts'

/** The message of dead deliveries: on which channel, how many, why, and where to look. Escaped and fitted. */
export function noticeText({ about, dead, reason }: Notice, rules: TextRules, publicHost: string): FallbackText {
  const headline = `⚠️ ${dead === 1 ? 'A delivery' : `${dead} deliveries`} on ${about} ${dead === 1 ? 'is' : 'are'} dead`
  const path = `/api/admin/deliveries?state=dead&channel=${about}`
  const lines = [
    headline,
    '',
    `The messages did not arrive and are not tried again by themselves. Last reason: ${reason || 'none was given'}`,
    `See ${publicHost}${path}, and POST /api/admin/deliveries/replay when it is mended.`,
  ]
  const { text } = fit(markedUp(lines.join('\n'), rules), rules, path)
  return rules.subject ? { text, subject: headline } : { text }
}
