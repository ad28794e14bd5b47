import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

/** A choice of a select box; a text alone is also its value. */
export type Choice = string | readonly [value: string, text: string]
/** The choice that filters nothing. */
export const ANY = ['', 'any'] as const

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly Choice[]
  onChoose(value: string): void
}

/** A select box with its label inside. */
export function Select({ label, value, options, onChoose }: SelectProps) {
  const narrows = options[0]?.[0] === '' && value !== ''
  return (
    <label class={`select ${narrows ? 'select-set' : ''}`}>
      <span class="select-label">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map((option) => {
          const [each, text] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={each} value={each}>
              {text}
            </option>
          )
        })}
      </select>
      <Icon name="down" size={12} />
    </label>
  )
}

interface ChooseProps extends Omit<SelectProps, 'value' | 'onChoose'> {
  /** Holds what is chosen. */
  readonly of: Signal<string>
}

/** A select box for a signal. */
export const Choose = ({ of, ...select }: ChooseProps) => (
  <Select {...select} value={of.value} onChoose={(value) => (of.value = value)} />
)

interface SearchProps {
  readonly label: string
  readonly placeholder: string
  readonly text: Signal<string>
  /** Called when the text was typed. */
  typed?(text: string): void
}

/** The search field of a page; the key `/` focuses it. */
export function Search({ label, placeholder, text, typed }: SearchProps) {
  const onInput = (event: { readonly currentTarget: HTMLInputElement }) => {
    text.value = event.currentTarget.value
    typed?.(text.value)
  }
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text.value}
        data-search
        autocomplete="off"
        spellcheck={false}
        onInput={onInput}
      />
      <span class="search-key">/</span>
    </div>
  )
}

export interface ButtonProps {
  /** Default: a box. */
  readonly look?: 'plain' | 'link'
  readonly icon?: IconName
  /** For screen readers, in place of a text. */
  readonly name?: string
  readonly primary?: boolean
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly title?: string
  readonly children?: ComponentChildren
  onPress(): void
}

export function Button({
  look,
  icon,
  name,
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
      class={look ? `${look}-button` : `button ${primary ? 'button-main' : ''}`}
      aria-label={name}
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

/** Below a list that shows a part of its rows. */
export const MoreButton = ({ onPress }: Pick<ButtonProps, 'onPress'>) => (
  <Button look="link" onPress={onPress}>
    Show more
  </Button>
)
