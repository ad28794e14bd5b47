import { Icon, type IconName } from './icon.tsx'

type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain'

interface ChipProps {
  readonly tone: Tone
  readonly icon?: IconName
  readonly title?: string
  readonly children: preact.ComponentChildren
}

/** A small label with a tone, for a state in one or two words. */
export function Chip({ tone, icon, title, children }: ChipProps) {
  return (
    <span class={`chip chip-${tone}`} title={title}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  )
}

/** The states of the API by their look. */
const LOOKS: readonly (readonly [tone: Tone, icon: IconName, states: string])[] = [
  ['bad', 'incidents', 'firing'],
  ['good', 'check', 'resolved sent closed up ok healthy known updated calm match done'],
  ['info', 'clock', 'pending armed scheduled connecting'],
  ['info', 'send', 'sending paging asking'],
  ['bad', 'cross', 'dead failed open failing stopped down refused exhausted'],
  ['plain', 'right', 'skipped'],
  ['warn', 'triangle', 'partial half_open unknown'],
  ['warn', 'again', 'retry backing_off'],
  ['warn', 'pause', 'paused'],
  ['info', 'tail', 'reading'],
  ['warn', 'clock', 'starting stopping'],
  ['plain', 'pause', 'disabled waiting off'],
  ['plain', 'close', 'ignored no nobody cancelled superseded'],
  ['bad', 'tail', 'spike'],
  ['warn', 'send', 'paged'],
  ['good', 'person', 'acknowledged'],
  ['warn', 'silences', 'active held began hold'],
  ['plain', 'check', 'ended over already'],
  ['plain', 'silences', 'silenced'],
  ['warn', 'noise', 'opened storm'],
  ['info', 'person', 'joined'],
  ['info', 'digests', 'folded fold'],
]
const LOOK_OF = new Map(
  LOOKS.flatMap(([tone, icon, states]) => states.split(' ').map((state) => [state, { tone, icon }])),
)
/** Texts of states that are not their names. */
const TEXTS: { readonly [state: string]: string } = {
  partial: 'Partly sent',
  ok: 'OK',
  scheduled: 'Planned',
  folded: 'In a digest',
  fold: 'Beside its message',
  already: 'Was so before',
  superseded: 'Older message',
  backing_off: 'Tried again',
}

const UNKNOWN = { tone: 'plain', icon: 'right' } as const

/** The chip for a state name of the API; an unknown name is shown as it is. */
export function State({ of, title }: { readonly of: string; readonly title?: string }) {
  const look = LOOK_OF.get(of)
  return (
    <Chip {...(look ?? UNKNOWN)} {...(title !== undefined && { title })}>
      {TEXTS[of] ?? (look ? of.charAt(0).toUpperCase() + of.slice(1).replaceAll('_', ' ') : of)}
    </Chip>
  )
}
