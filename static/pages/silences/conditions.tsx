import { Button } from '../../ui/field.tsx'
import type { ConditionLines } from './condition-lines.ts'

const FIELDS = ['service', 'title', 'fingerprint', 'severity', 'min_severity', 'sender', 'source', 'labels.team']

interface ConditionsProps {
  readonly lines: ConditionLines
  readonly legend: string
  /** Begin of the names of the fields, such as `Cause field 1`; absent: none. */
  readonly of?: string
}

/** The conditions, one line each; all have to fit, of lines with one field any. */
export function Conditions({ lines, legend, of }: ConditionsProps) {
  const named = (name: string) => (of === undefined ? name : `${of} ${name.toLowerCase()}`)
  return (
    <fieldset class="silence-conditions stack gap-3">
      <legend>{legend}</legend>
      <datalist id="silence-fields">
        {FIELDS.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {lines.all.value.map(({ field, value }, at) => (
        <div key={at} class="silence-condition">
          <input
            type="text"
            list="silence-fields"
            aria-label={named(`Field ${at + 1}`)}
            value={field}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => lines.set(at, { field: event.currentTarget.value })}
          />
          <span class="quiet">is</span>
          <input
            type="text"
            aria-label={named(`Value ${at + 1}`)}
            placeholder="db-*"
            value={value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => lines.set(at, { value: event.currentTarget.value })}
          />
          <Button
            look="plain"
            icon="close"
            name={named(`Remove condition ${at + 1}`)}
            onPress={() => lines.remove(at)}
          />
        </div>
      ))}
      <Button look="link" onPress={() => lines.add()}>
        Add a condition
      </Button>
      <p class="quiet small">
        All have to fit; several lines of one field mean any of them. <code>*</code> stands for any text, <code>!</code>{' '}
        in front for all but it.
      </p>
    </fieldset>
  )
}
