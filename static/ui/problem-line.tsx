import type { ComponentChildren } from 'preact'
import { Severity } from './severity.tsx'

interface ProblemLineProps {
  readonly of: { readonly severity: string; readonly title: string; readonly service: string }
  readonly href: string
  /** Stands behind the service. */
  readonly about: ComponentChildren
  /** Stands at the end of the line. */
  readonly children?: ComponentChildren
}

/** One problem in a list; belongs into a `ul` of the class `digest-problems`. */
export const ProblemLine = ({ of, href, about, children }: ProblemLineProps) => (
  <li class="digest-problem lined">
    <Severity severity={of.severity} short />
    <span class="stack">
      <a class="break" href={href}>
        {of.title}
      </a>
      <span class="quiet tiny">
        {of.service !== '' && `${of.service} · `}
        {about}
      </span>
    </span>
    {children}
  </li>
)
