import { attention } from '../../live/attention.ts'
import { Icon } from '../../ui/icon.tsx'
import { useSilenceItems } from './silence-items.ts'

/** The list of open problems, or a line that there is none. */
export function Attention() {
  const concerns = [...attention.value, ...useSilenceItems()]
  if (concerns.length === 0) {
    return (
      <section class="all-clear" aria-label="Attention">
        <Icon name="check" size={20} />
        <p>
          <strong>Nothing needs attention.</strong> All channels deliver, and all incidents are acknowledged.
        </p>
      </section>
    )
  }
  return (
    <section aria-label="Attention">
      <ul class="attention-items">
        {concerns.map(({ tone, title, text, href }) => (
          <li key={title}>
            <a class={`attention-item attention-${tone}`} href={href}>
              <Icon name={tone === 'bad' ? 'cross' : 'triangle'} size={20} />
              <span class="attention-title">{title}</span>
              <span class="attention-text">{text}</span>
              <Icon name="right" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
