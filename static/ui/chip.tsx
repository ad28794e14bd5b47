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

interface StateLook {
  readonly tone: Tone
  readonly icon: IconName
  readonly text: string
}

const STATE_LOOKS: { readonly [state: string]: StateLook } = {
  firing: { tone: 'bad', icon: 'incidents', text: 'Firing' },
  resolved: { tone: 'good', icon: 'check', text: 'Resolved' },
  pending: { tone: 'info', icon: 'clock', text: 'Pending' },
  sending: { tone: 'info', icon: 'send', text: 'Sending' },
  sent: { tone: 'good', icon: 'check', text: 'Sent' },
  dead: { tone: 'bad', icon: 'cross', text: 'Dead' },
  skipped: { tone: 'plain', icon: 'right', text: 'Skipped' },
  partial: { tone: 'warn', icon: 'triangle', text: 'Partly sent' },
  failed: { tone: 'bad', icon: 'cross', text: 'Failed' },
  retry: { tone: 'warn', icon: 'again', text: 'Retry' },
  closed: { tone: 'good', icon: 'check', text: 'Closed' },
  half_open: { tone: 'warn', icon: 'triangle', text: 'Half open' },
  open: { tone: 'bad', icon: 'cross', text: 'Open' },
  up: { tone: 'good', icon: 'check', text: 'Up' },
  paused: { tone: 'warn', icon: 'pause', text: 'Paused' },
  failing: { tone: 'bad', icon: 'cross', text: 'Failing' },
  ok: { tone: 'good', icon: 'check', text: 'OK' },
  reading: { tone: 'info', icon: 'tail', text: 'Reading' },
  starting: { tone: 'warn', icon: 'clock', text: 'Starting' },
  stopping: { tone: 'warn', icon: 'clock', text: 'Stopping' },
  stopped: { tone: 'bad', icon: 'cross', text: 'Stopped' },
  down: { tone: 'bad', icon: 'cross', text: 'Down' },
  healthy: { tone: 'good', icon: 'check', text: 'Healthy' },
  disabled: { tone: 'plain', icon: 'pause', text: 'Disabled' },
  known: { tone: 'good', icon: 'check', text: 'Known' },
  unknown: { tone: 'warn', icon: 'triangle', text: 'Unknown' },
  ignored: { tone: 'plain', icon: 'close', text: 'Ignored' },
  spike: { tone: 'bad', icon: 'tail', text: 'Spike' },
  armed: { tone: 'info', icon: 'clock', text: 'Armed' },
  paging: { tone: 'info', icon: 'send', text: 'Paging' },
  paged: { tone: 'warn', icon: 'send', text: 'Paged' },
  acknowledged: { tone: 'good', icon: 'person', text: 'Acknowledged' },
  active: { tone: 'warn', icon: 'silences', text: 'Active' },
  scheduled: { tone: 'info', icon: 'clock', text: 'Planned' },
  ended: { tone: 'plain', icon: 'check', text: 'Ended' },
  held: { tone: 'warn', icon: 'silences', text: 'Held' },
  silenced: { tone: 'plain', icon: 'silences', text: 'Silenced' },
  began: { tone: 'warn', icon: 'silences', text: 'Began' },
  opened: { tone: 'warn', icon: 'noise', text: 'Opened' },
  told: { tone: 'good', icon: 'check', text: 'Told' },
  calm: { tone: 'good', icon: 'check', text: 'Calm' },
  storm: { tone: 'warn', icon: 'noise', text: 'Storm' },
  over: { tone: 'plain', icon: 'check', text: 'Over' },
  match: { tone: 'good', icon: 'check', text: 'Match' },
  no: { tone: 'plain', icon: 'close', text: 'No' },
  joined: { tone: 'info', icon: 'person', text: 'Joined' },
  folded: { tone: 'info', icon: 'digests', text: 'In a digest' },
  fold: { tone: 'info', icon: 'digests', text: 'Beside its message' },
  hold: { tone: 'warn', icon: 'silences', text: 'Hold' },
  nobody: { tone: 'plain', icon: 'close', text: 'Nobody' },
  cancelled: { tone: 'plain', icon: 'close', text: 'Cancelled' },
}

/** The chip for a state name of the API; an unknown name is shown as it is. */
export function State({ of, title }: { readonly of: string; readonly title?: string }) {
  const { tone, icon, text } = STATE_LOOKS[of] ?? { tone: 'plain', icon: 'right', text: of }
  return (
    <Chip tone={tone} icon={icon} {...(title !== undefined && { title })}>
      {text}
    </Chip>
  )
}
