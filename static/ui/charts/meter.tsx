import { short } from './numbers.ts'

interface MeterProps {
  readonly label: string
  readonly value: number
  readonly max: number
  /** Text beside the bar; without it the two numbers. */
  readonly text?: string
}

/** A bar for the used part of a capacity; amber from 70 %, red from 90 %. */
export function Meter({ label, value, max, text = `${short(value)} / ${short(max)}` }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0
  const level = share >= 0.9 ? 'full' : share >= 0.7 ? 'high' : 'fine'
  return (
    <div class="meter line">
      <span class={`meter-bar meter-${level}`} role="img" aria-label={`${label}: ${text}`}>
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="meter-text">{text}</span>
    </div>
  )
}
