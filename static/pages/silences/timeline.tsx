import type { SilenceRecord } from '../../../src/api/noise/silence.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'

const HOUR_MS = 3_600_000
/** The stretch that is drawn, relative to now. */
const BEFORE_MS = 24 * HOUR_MS
const AFTER_MS = 48 * HOUR_MS
const TOTAL_MS = BEFORE_MS + AFTER_MS
const TICK_MS = 12 * HOUR_MS
const MAX_ROWS = 30

const dayAndHour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** The windows of a silence: those to come, and the one that is over or open. */
interface Span {
  readonly from: number
  readonly to: number
}

/** The silences of yesterday, today and tomorrow as bars over time. */
export function Timeline({ of }: { readonly of: readonly SilenceRecord[] }) {
  const now = Date.now()
  const rows = of
    .map((silence) => ({
      silence,
      spans: spansOf(silence).filter(({ from, to }) => to > now - BEFORE_MS && from < now + AFTER_MS),
    }))
    .filter(({ spans }) => spans.length > 0)
  if (rows.length === 0) return null
  const at = (time: number) => Math.max(0, Math.min(100, ((time - now + BEFORE_MS) / TOTAL_MS) * 100))
  return (
    <Card
      title="Timeline"
      aside={<p class="quiet">from a day ago to two days ahead{rows.length > MAX_ROWS && `, the first ${MAX_ROWS}`}</p>}
    >
      <ol class="silence-timeline">
        <li class="silence-line small" aria-hidden="true">
          <span />
          <span class="silence-scale">
            {ticksOf(now).map((tick) => (
              <span key={tick} style={{ left: `${at(tick)}%` }}>
                {dayAndHour.format(tick)}
              </span>
            ))}
          </span>
        </li>
        {rows.slice(0, MAX_ROWS).map(({ silence, spans }) => (
          <li key={silence.id} class="silence-line small">
            <a class="cut" href={href('silences', String(silence.id))}>
              {silence.name}
            </a>
            <span class="silence-bar" role="img" aria-label={spans.map(inWords).join('; ')}>
              {spans.map((span) => (
                <span
                  key={span.from}
                  class={`silence-span ${span.to <= now ? 'silence-past' : span.from > now ? 'silence-planned' : ''}`}
                  style={{ left: `${at(span.from)}%`, width: `${Math.max(0.4, at(span.to) - at(span.from))}%` }}
                  title={inWords(span)}
                />
              ))}
              <span class="silence-now" style={{ left: `${at(now)}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function spansOf({ starts_at, ends_at, ended_at, windows, while_text, held, state }: SilenceRecord): Span[] {
  if (while_text !== null) {
    if (state === 'active') return [{ from: Date.parse(starts_at), to: Date.now() }]
    return held?.to ? [{ from: Date.parse(held.from), to: Date.parse(held.to) }] : []
  }
  const shown = { from: Date.parse(starts_at), to: Date.parse(ended_at ?? ends_at ?? starts_at) }
  const coming = windows.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
  return ended_at === null ? [shown, ...coming.filter(({ from }) => from > shown.from)] : [shown]
}

function ticksOf(now: number): number[] {
  const first = new Date(now - BEFORE_MS)
  first.setHours(first.getHours() < 12 ? 12 : 24, 0, 0, 0)
  return Array.from({ length: Math.floor(TOTAL_MS / TICK_MS) }, (_, n) => first.getTime() + n * TICK_MS)
}

const inWords = ({ from, to }: Span) => `${moment.format(from)} to ${moment.format(to)}`
