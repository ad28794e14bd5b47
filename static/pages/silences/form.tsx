import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SilenceCreated } from '../../../src/api/noise/silence-requests.ts'
import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'
import { keepName } from '../../app/person.tsx'
import { href, navigate } from '../../app/route.ts'
import { Button } from '../../ui/field.tsx'
import { Back, PageHead } from '../../ui/page.tsx'
import { Conditions } from './conditions.tsx'
import { SilenceDraft } from './draft.ts'
import { DraftField } from './draft-field.tsx'
import { Preview } from './preview.tsx'
import { Times } from './times.tsx'

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
