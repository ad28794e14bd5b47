import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SilenceCreated } from '../../../src/api/noise/silence-requests.ts'
import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'
import { keepName } from '../../app/person.tsx'
import { href, navigate } from '../../app/route.ts'
import { Button, Select } from '../../ui/field.tsx'
import { Back, PageHead } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Conditions } from './conditions.tsx'
import { SilenceDraft } from './draft.ts'
import { DraftField } from './draft-field.tsx'
import { Preview } from './preview.tsx'

/** The form for a new silence, with what it would have held in the last 24 hours beside it. */
export function Form({ given }: { readonly given: URLSearchParams }) {
  const draft = useMemo(() => new SilenceDraft(given), [])
  useEffect(() => () => draft.question.close(), [draft])
  const busy = useSignal(false)
  const { owner, comment } = draft.texts.value
  const { answer: preview, message } = draft.question.outcome.value
  const ready = preview !== undefined && message === '' && owner.trim() !== '' && comment.trim() !== ''
  const allowed = ready && (!preview.broad || draft.broad.value)
  const create = async () => {
    busy.value = true
    keepName(owner)
    const created = await attempt(
      () => post<SilenceCreated>('/api/admin/silences', draft.request()),
      ({ silence }) => `Silence ${silence.name} is made`,
    )
    busy.value = false
    if (created !== undefined) navigate(href('silences', String(created.silence.id)))
  }
  return (
    <div class="page stack gap-4">
      <Back to={href('silences')}>Silences</Back>
      <PageHead title="New silence" />
      <div class="columns">
        <form class="card silence-form stack gap-3" onSubmit={(event) => event.preventDefault()}>
          {draft.problem === undefined ? (
            <Conditions lines={draft.conditions} legend="Incidents of which" />
          ) : (
            <p>
              <a href={href('problems', String(draft.problem))}>Problem {draft.problem}</a>, and no other
            </p>
          )}
          <Times draft={draft} />
          <DraftField draft={draft} name="name" label="Name" placeholder="the conditions in words" maxlength={200} />
          <DraftField draft={draft} name="owner" label="Owner" required maxlength={100} />
          <DraftField
            draft={draft}
            name="comment"
            label="Comment"
            required
            placeholder="why, and where to read more"
            maxlength={500}
          />
          <div class="actions">
            <Button icon="silences" primary busy={busy.value} disabled={!allowed} onPress={() => void create()}>
              Make the silence
            </Button>
            <span class="quiet small">
              {!ready && 'Conditions, owner and comment are needed.'}
              {ready && !allowed && 'It is broad: confirm that first.'}
            </span>
          </div>
        </form>
        <Preview draft={draft} />
      </div>
    </div>
  )
}

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
function Times({ draft }: { readonly draft: SilenceDraft }) {
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
