import type { SilenceDraft, Texts } from './draft.ts'

interface DraftFieldProps {
  readonly draft: SilenceDraft
  readonly name: keyof Texts
  readonly label: string
  readonly type?: 'text' | 'datetime-local'
  readonly required?: boolean
  readonly maxlength?: number
  readonly placeholder?: string
  readonly title?: string
  readonly spellcheck?: boolean
}

/** A field of the form for one text of the draft. */
export const DraftField = ({ draft, name, label, type = 'text', ...input }: DraftFieldProps) => (
  <label class="field stack gap-1">
    {label}
    <input
      // Either type takes the attributes of a text field; the types of JSX join them to one type each.
      type={type as 'text'}
      {...input}
      value={draft.texts.value[name]}
      onInput={(event) => draft.set({ [name]: event.currentTarget.value })}
    />
  </label>
)
