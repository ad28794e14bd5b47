import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

interface PageHeadProps {
  readonly title: string
  /** Quiet text beside the title. */
  readonly note?: ComponentChildren
  /** Tabs or buttons behind the note. */
  readonly aside?: ComponentChildren
}

export const PageHead = ({ title, note, aside }: PageHeadProps) => (
  <header class="page-head row">
    <h1>{title}</h1>
    {note && <p class="quiet">{note}</p>}
    {aside}
  </header>
)

/** A page with its heading. */
export function Page(props: PageHeadProps & { readonly class?: string; readonly children: ComponentChildren }) {
  return (
    <div class={`page stack gap-4 ${props.class ?? ''}`}>
      <PageHead {...props} />
      {props.children}
    </div>
  )
}

/** The link from one entry to the list of all. */
export const Back = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <a class="back" href={to}>
    <Icon name="left" />
    {children}
  </a>
)
