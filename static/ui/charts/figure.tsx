import type { ComponentChildren } from 'preact'
import { Time } from '../time.tsx'

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly unit?: string
  /** Small text below the number. */
  readonly children: ComponentChildren
}

/** One large number; belongs into a `dl` of the class `figures`. */
export const Figure = ({ name, value, unit, children }: FigureProps) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd class="figure-value">
      {value}
      {unit && <span class="figure-unit">{unit}</span>}
    </dd>
    <dd class="figure-note">{children}</dd>
  </div>
)

interface FactProps {
  readonly name: string
  readonly wide?: boolean
  readonly children: ComponentChildren
}

/** A name and its value; belongs into a `dl` of the class `facts`. */
export const Fact = ({ name, wide = false, children }: FactProps) => (
  <div class={wide ? 'facts-wide' : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** A fact whose value is a time. */
export const TimeFact = ({ name, wide = false, ...time }: Omit<FactProps, 'children'> & Parameters<typeof Time>[0]) => (
  <Fact name={name} wide={wide}>
    <Time {...time} />
  </Fact>
)
