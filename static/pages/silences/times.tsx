import { Select } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Conditions } from './conditions.tsx'
import { isOnce, type SilenceDraft, type Texts } from './draft.ts'

const KINDS = [
  { id: 'for', text: 'From now' },
  { id: 'until', text: 'Planned' },
  { id: 'recurring', text: 'Recurring' },
  { id: 'while', text: 'While a problem fires' },
] as const
const LENGTHS = ['30m', '1h', '2h', '4h', '8h', '24h', '72h', '168h'] as const
const LENGTH_NAMES = { '24h': '1 day', '72h': '3 days', '168h': '7 days' } as { readonly [length: string]: string }
const CRON_HINT = 'minute, hour, day, month, weekday'

/** When the silence holds. */
export function Times({ draft }: { readonly draft: SilenceDraft }) {
  const { kind, length } = draft.texts.value
  return (
    <fieldset class="silence-when">
      <legend>When</legend>
      <Tabs label="Kind of silence" tabs={KINDS} chosen={kind} onChoose={(next) => draft.set({ kind: next })} />
      <div class="silence-fields">
        {kind === 'until' && (
          <>
            <TimeField draft={draft} name="startsAt" label="From" />
            <TimeField draft={draft} name="endsAt" label="To" />
          </>
        )}
        {(kind === 'for' || kind === 'recurring') && (
          <Select
            label="For"
            value={length}
            options={LENGTHS.map((each) => [each, LENGTH_NAMES[each] ?? each] as const)}
            onChoose={(next) => draft.set({ length: next })}
          />
        )}
        {kind === 'recurring' && (
          <>
            <TextField draft={draft} name="cron" label="Begins (cron)" hint={CRON_HINT} />
            <TextField draft={draft} name="timeZone" label="Time zone" hint="Europe/Berlin" />
          </>
        )}
        {!isOnce({ kind }) && <TimeField draft={draft} name="until" label="Until, at most a year" />}
      </div>
      {kind === 'while' && (
        <>
          <Conditions lines={draft.causes} legend="While a problem fires of which" of="Cause" />
          <p class="quiet">
            These problems are told as always, also where the conditions above fit them. What was told before they began
            is not taken back.
          </p>
        </>
      )}
      {isOnce({ kind }) && (
        <label class="toggle">
          <input
            type="checkbox"
            checked={draft.untilResolved.value}
            onChange={(event) => draft.setUntilResolved(event.currentTarget.checked)}
          />
          End early when nothing that it holds has fired for 10 minutes
        </label>
      )}
    </fieldset>
  )
}

interface FieldProps {
  readonly draft: SilenceDraft
  readonly name: keyof Texts
  readonly label: string
}

const TimeField = ({ draft, name, label }: FieldProps) => (
  <label class="field">
    {label}
    <input
      type="datetime-local"
      value={draft.texts.value[name]}
      onInput={(event) => draft.set({ [name]: event.currentTarget.value })}
    />
  </label>
)

const TextField = ({ draft, name, label, hint }: FieldProps & { readonly hint: string }) => (
  <label class="field">
    {label}
    <input
      type="text"
      placeholder={hint}
      title={hint}
      spellcheck={false}
      value={draft.texts.value[name]}
      onInput={(event) => draft.set({ [name]: event.currentTarget.value })}
    />
  </label>
)
