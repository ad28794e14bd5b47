import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SilenceCreated } from '../../../src/api/noise/silence-requests.ts'
import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'
import { keepName } from '../../app/person.tsx'
import { href, navigate } from '../../app/route.ts'
import { Button } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Conditions } from './conditions.tsx'
import { SilenceDraft } from './draft.ts'
import { Preview } from './preview.tsx'
import { Times } from './times.tsx'

/** The form for a new silence, with what it would have held in the last 24 hours beside it. */
export function Form({ given }: { readonly given: URLSearchParams }) {
  const draft = useMemo(() => new SilenceDraft(given), [])
  useEffect(() => () => draft.close(), [draft])
  const busy = useSignal(false)
  const { owner, comment, name } = draft.texts.value
  const { preview, message } = draft.outcome.value
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
    <div class="page">
      <a class="back" href={href('silences')}>
        <Icon name="left" />
        Silences
      </a>
      <header class="page-head">
        <h1>New silence</h1>
      </header>
      <div class="silence-new">
        <form class="card silence-form" onSubmit={(event) => event.preventDefault()}>
          <Conditions lines={draft.conditions} legend="Incidents of which" />
          <Times draft={draft} />
          <label class="field">
            Name
            <input
              type="text"
              placeholder="the conditions in words"
              maxlength={200}
              value={name}
              onInput={(event) => draft.set({ name: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            Owner
            <input
              type="text"
              required
              maxlength={100}
              value={owner}
              onInput={(event) => draft.set({ owner: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            Comment
            <input
              type="text"
              required
              placeholder="why, and where to read more"
              maxlength={500}
              value={comment}
              onInput={(event) => draft.set({ comment: event.currentTarget.value })}
            />
          </label>
          <div class="actions">
            <Button icon="silences" primary busy={busy.value} disabled={!allowed} onPress={() => void create()}>
              Make the silence
            </Button>
            <span class="quiet">
              {allowed || !ready
                ? ready
                  ? ''
                  : 'Conditions, owner and comment are needed.'
                : 'It is broad: confirm that first.'}
            </span>
          </div>
        </form>
        <Preview draft={draft} />
      </div>
    </div>
  )
}
