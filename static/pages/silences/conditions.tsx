import { Icon } from '../../ui/icon.tsx'
import type { SilenceDraft } from './draft.ts'

const FIELDS = ['service', 'title', 'fingerprint', 'severity', 'min_severity', 'sender', 'source', 'labels.team']

/** The conditions, one line each; all have to fit, of lines with one field any. */
export function Conditions({ draft }: { readonly draft: SilenceDraft }) {
  const conditions = draft.conditions.value
  return (
    <fieldset class="silence-conditions">
      <legend>Incidents of which</legend>
      <datalist id="silence-fields">
        {FIELDS.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {conditions.map(({ field, value }, at) => (
        <div key={at} class="silence-condition">
          <input
            type="text"
            list="silence-fields"
            aria-label={`Field ${at + 1}`}
            value={field}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => draft.setCondition(at, { field: event.currentTarget.value })}
          />
          <span class="quiet">is</span>
          <input
            type="text"
            aria-label={`Value ${at + 1}`}
            placeholder="db-*"
            value={value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => draft.setCondition(at, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            class="plain-button"
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => draft.removeCondition(at)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button type="button" class="link-button" onClick={() => draft.addCondition()}>
        Add a condition
      </button>
      <p class="quiet">
        All have to fit; several lines of one field mean any of them. <code>*</code> stands for any text, <code>!</code>{' '}
        in front for all but it.
      </p>
    </fieldset>
  )
}
