import { Select } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Conditions } from './conditions.tsx'
import type { SilenceDraft } from './draft.ts'
import { DraftField } from './draft-field.tsx'

const KINDS = {
  for: 'From now',
  resolved: 'Until resolved',
  until: 'Planned',
  recurring: 'Recurring',
  while: 'While a problem fires',
} as const
const QUIETS = ['1m', '10m', '30m', '1h', '4h'] as const
const LENGTHS = ['30m', '1h', '2h', '4h', '8h', ['24h', '1 day'], ['72h', '3 days'], ['168h', '7 days']] as const
const hinted = (hint: string) => ({ placeholder: hint, title: hint, spellcheck: false })

/** When the silence holds. */
export function Times({ draft }: { readonly draft: SilenceDraft }) {
  const { kind, length, quietFor, max } = draft.texts.value
  return (
    <fieldset class="silence-when stack gap-3">
      <legend>When</legend>
      <Tabs label="Kind of silence" tabs={KINDS} chosen={kind} onChoose={(next) => draft.set({ kind: next })} />
      <div class="silence-fields row">
        {kind === 'until' && (
          <>
            <DraftField draft={draft} name="startsAt" label="From" type="datetime-local" />
            <DraftField draft={draft} name="endsAt" label="To" type="datetime-local" />
          </>
        )}
        {(kind === 'for' || kind === 'recurring') && (
          <Select label="For" value={length} options={LENGTHS} onChoose={(next) => draft.set({ length: next })} />
        )}
        {kind === 'resolved' && (
          <>
            <Select
              label="Quiet for"
              value={quietFor}
              options={QUIETS}
              onChoose={(next) => draft.set({ quietFor: next })}
            />
            <Select label="At most" value={max} options={LENGTHS} onChoose={(next) => draft.set({ max: next })} />
          </>
        )}
        {kind === 'recurring' && (
          <>
            <DraftField
              draft={draft}
              name="cron"
              label="Begins (cron)"
              {...hinted('minute, hour, day, month, weekday')}
            />
            <DraftField draft={draft} name="timeZone" label="Time zone" {...hinted('Europe/Berlin')} />
          </>
        )}
        {(kind === 'recurring' || kind === 'while') && (
          <DraftField draft={draft} name="until" label="Until, at most a year" type="datetime-local" />
        )}
      </div>
      {kind === 'while' && (
        <>
          <Conditions lines={draft.causes} legend="While a problem fires of which" of="Cause" />
          <p class="quiet">
            These problems are sent as always, also where the conditions above fit them. What was sent before they began
            is not taken back.
          </p>
        </>
      )}
      {kind === 'resolved' && (
        <p class="quiet">
          It ends when no problem that fits has fired for so long. One that has just fired again and again counts until
          it is steady.
        </p>
      )}
    </fieldset>
  )
}
