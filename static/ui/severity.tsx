import { severityRank } from '../../src/domain/severity.ts'

/** Outlines by rank. Each has its own shape, so that severities differ without colour, too. */
const SHAPES = [
  'M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2L1.5 10.8V5.2z',
  'M8 1.8 15 14H1z',
  'M8 1.2 14.8 8 8 14.8 1.2 8z',
  'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z',
  'M8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
] as const
const NAMES = ['critical', 'high', 'warning', 'info', 'low'] as const

interface SeverityProps {
  /** As the sender wrote it; '' when it gave none. */
  readonly severity: string
  /** Hides the word from sight, not from screen readers. */
  readonly short?: boolean
}

export function Severity({ severity, short = false }: SeverityProps) {
  const rank = severity === '' ? 3 : severityRank(severity)
  const word = severity === '' ? 'no severity' : severity
  return (
    <span class={`severity severity-${NAMES[rank]}`} title={word}>
      <svg width="0.75rem" height="0.75rem" viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[rank]} fill="currentColor" />
      </svg>
      <span class={short ? 'hidden-text' : ''}>{word}</span>
    </span>
  )
}
