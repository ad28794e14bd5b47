import type { Shape } from './extracted.ts'
import { hasText, own, textAt } from './fields.ts'

/** What the log agent raises; its label is the one templates branch on. */
export const agent: Shape = {
  sender: 'agent',
  matches: (payload) => own(payload, 'Source') === 'AI Agent',
  read: (payload) => ({
    title: textAt(payload, ['AlertName', 'Summary']),
    service: textAt(payload, ['ServiceName']),
    severity: textAt(payload, ['Severity']),
    resolved: hasText(payload, 'Status', 'resolved'),
    // A pattern that is new and the same one spiking later are two things to act on.
    identity: [textAt(payload, ['PatternID', 'AlertName']), textAt(payload, ['Verdict'])].filter(Boolean).join('/'),
  }),
}
