/** Key in the browser's storage. */
const NAME = 'tocsin.name'

/** Returns the name that this browser's person gave; '' for none. */
export const personName = () => localStorage.getItem(NAME)?.trim() ?? ''

export const keepName = (name: string) => localStorage.setItem(NAME, name)

/** Returns the body of an action that records its person. */
export const named = (): { by?: string } => (personName() === '' ? {} : { by: personName() })

/** The field for the name that is recorded, since all persons share one secret. */
export const NameField = () => (
  <label class="actions-name">
    <span>as</span>
    <input
      type="text"
      placeholder="your name"
      aria-label="Your name, for the record"
      maxlength={100}
      autocomplete="nickname"
      defaultValue={personName()}
      onInput={(event) => keepName(event.currentTarget.value)}
    />
  </label>
)
