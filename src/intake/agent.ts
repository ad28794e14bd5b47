import type { Shape } from './extracted.ts'
import { hasText, own, textAt } from './fields.ts'

/** Incidents of the log agent. Templates recognise them by `Source` as well. */
export const agent: Shape = {
  sender: 'agent',
  matches: (payload) => own(payload, 'Source') === 'AI Agent',
  read: (payload) => ({
    title: textAt(payload, ['AlertName', 'Summary']),
    service: textAt(payload, ['ServiceName']),
    severity: textAt(payload, ['Severity']),
    resolved: hasText(payload, 'Status', 'resolved'),
    // A new pattern and a later burst of the same pattern are two problems.
    identity: [textAt(payload, ['PatternID', 'AlertName']), textAt(payload, ['Verdict'])].filter(Boolean).join('/'),
  }),
  labels: () => [],
}
