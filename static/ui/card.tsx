import type { ComponentChildren } from 'preact'

interface CardProps {
  readonly title: ComponentChildren
  readonly class?: string
  readonly label?: string
  /** Stands beside the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A section of a page with its title. */
export const Card = ({ title, class: name, label, aside, children }: CardProps) => (
  <section class={name === undefined ? 'card' : `card ${name}`} aria-label={label}>
    <header class="card-head">
      <h2>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
)
