import { Icon, type IconName } from './icon.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain'

interface ChipProps {
  readonly tone: Tone
  readonly icon?: IconName
  readonly title?: string
  readonly children: preact.ComponentChildren
}

/** A state in one or two words. */
export function Chip({ tone, icon, title, children }: ChipProps) {
  return (
    <span class={`chip chip-${tone}`} title={title}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  )
}

interface Look {
  readonly tone: Tone
  readonly icon: IconName
  readonly says: string
}

const LOOKS: { readonly [state: string]: Look } = {
  firing: { tone: 'bad', icon: 'incidents', says: 'Firing' },
  resolved: { tone: 'good', icon: 'check', says: 'Resolved' },
  pending: { tone: 'info', icon: 'clock', says: 'Pending' },
  sending: { tone: 'info', icon: 'send', says: 'Sending' },
  sent: { tone: 'good', icon: 'check', says: 'Sent' },
  dead: { tone: 'bad', icon: 'cross', says: 'Dead' },
  skipped: { tone: 'plain', icon: 'right', says: 'Skipped' },
  partial: { tone: 'warn', icon: 'triangle', says: 'Partly sent' },
  failed: { tone: 'bad', icon: 'cross', says: 'Failed' },
  retry: { tone: 'warn', icon: 'again', says: 'Again later' },
  closed: { tone: 'good', icon: 'check', says: 'Closed' },
  half_open: { tone: 'warn', icon: 'triangle', says: 'Half open' },
  open: { tone: 'bad', icon: 'cross', says: 'Open' },
  up: { tone: 'good', icon: 'check', says: 'Up' },
  paused: { tone: 'warn', icon: 'pause', says: 'Paused' },
  healthy: { tone: 'good', icon: 'check', says: 'Healthy' },
  disabled: { tone: 'plain', icon: 'pause', says: 'Disabled' },
  known: { tone: 'good', icon: 'check', says: 'Known' },
  unknown: { tone: 'warn', icon: 'triangle', says: 'Unknown' },
  ignored: { tone: 'plain', icon: 'close', says: 'Ignored' },
  spike: { tone: 'bad', icon: 'tail', says: 'Spike' },
  armed: { tone: 'info', icon: 'clock', says: 'Armed' },
  paged: { tone: 'warn', icon: 'send', says: 'Paged' },
  acknowledged: { tone: 'good', icon: 'person', says: 'Acknowledged' },
  cancelled: { tone: 'plain', icon: 'close', says: 'Cancelled' },
}

/** The chip of a state that the service names; a state nobody knows here is shown as it is called. */
export function State({ of, title }: { readonly of: string; readonly title?: string }) {
  const { tone, icon, says } = LOOKS[of] ?? { tone: 'plain', icon: 'right', says: of }
  return (
    <Chip tone={tone} icon={icon} {...(title !== undefined && { title })}>
      {says}
    </Chip>
  )
}
