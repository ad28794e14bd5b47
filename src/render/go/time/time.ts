import { GoTime, RAW } from '../values.ts'
import { layoutParts } from './layout.ts'

/** Returns the instant in UTC. */
export function timeOf(date: Date): GoTime {
  const seconds = Math.floor(date.getTime() / 1000)
  return new GoTime({ seconds, nanos: (date.getTime() - seconds * 1000) * 1e6, offsetSeconds: 0, zone: 'UTC' })
}

/** Returns the text of Go's Time.String. */
export const timeText = (time: GoTime): string => formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST')

/** Formats a time with a Go layout, in its zone offset. */
export function formatTime(time: GoTime, layout: string): string {
  const instant = time[RAW]
  const wall = new Date((instant.seconds + instant.offsetSeconds) * 1000)
  let text = ''
  for (const part of layoutParts(layout)) {
    if (part.kind === 'text') text += part.text
    else if (part.kind === 'fraction') text += fractionText(instant.nanos, part)
    else text += part.print(wall, instant)
  }
  return text
}

function fractionText(nanos: number, { mark, digits, trim }: { mark: string; digits: number; trim: boolean }): string {
  const all = String(nanos).padStart(9, '0').slice(0, digits)
  const kept = trim ? all.replace(/0+$/, '') : all.padEnd(digits, '0')
  return kept === '' ? '' : mark + kept
}
