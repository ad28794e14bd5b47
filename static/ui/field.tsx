import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  onChoose(value: string): void
}

/** A select box with its label inside. */
export function Select({ label, value, options, onChoose }: SelectProps) {
  const narrows = options[0]?.[0] === '' && value !== ''
  return (
    <label class={`select ${narrows ? 'select-set' : ''}`}>
      <span class="select-label">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </label>
  )
}

interface SearchProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  onChange(value: string): void
}

/** The search field of a page; the key `/` focuses it. */
export function Search({ label, placeholder, value, onChange }: SearchProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        data-search
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span class="search-key">/</span>
    </div>
  )
}

interface ButtonProps {
  readonly icon?: IconName
  readonly primary?: boolean
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly title?: string
  readonly children: ComponentChildren
  onPress(): void
}

export function Button({
  icon,
  primary = false,
  busy = false,
  disabled = false,
  title,
  children,
  onPress,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${primary ? 'button-main' : ''}`}
      disabled={disabled || busy}
      aria-busy={busy}
      title={title}
      onClick={onPress}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
