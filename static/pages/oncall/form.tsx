import { useSignal } from '@preact/signals'
import type { OncallOverride, OncallOverview } from '../../../src/api/oncall/schedules.ts'
import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'
import { keepName, personName } from '../../app/person.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Choose } from '../../ui/field.tsx'
import { fieldText, type LocalMs, localIn } from './local.ts'

/** What the form begins with. */
export interface Draft {
  readonly schedule: string
  /** Local times of the schedule. */
  readonly from?: LocalMs
  readonly until?: LocalMs
}

interface FormProps {
  readonly of: OncallOverview
  readonly draft: Draft
  close(): void
  made(): void
}

const NOBODY = ['nobody', 'nobody: a gap'] as const

/** The form for an override. */
export function OverrideForm({ of: { schedules, people }, draft, close, made }: FormProps) {
  const schedule = useSignal(draft.schedule)
  const person = useSignal(people[0]?.key ?? '')
  const insteadOf = useSignal('')
  const timeZone = schedules.find(({ name }) => name === schedule.value)?.time_zone ?? 'UTC'
  const now = localIn(timeZone)(Date.now())
  // What began today begins now.
  const from = useSignal(fieldText(Math.max(now, draft.from ?? now)))
  const until = useSignal(draft.until === undefined ? '' : fieldText(draft.until))
  const reason = useSignal('')
  const by = useSignal(personName())
  const busy = useSignal(false)
  const names = people.map(({ key, name }) => [key, name] as const)
  const isReady = [person, from, until, reason].every(({ value }) => value.trim() !== '')
  const make = async () => {
    busy.value = true
    keepName(by.value)
    const request = {
      ...{ schedule: schedule.value, person: person.value, from: from.value, until: until.value },
      reason: reason.value,
      ...(insteadOf.value !== '' && { instead_of: insteadOf.value }),
      ...(by.value.trim() !== '' && { by: by.value }),
    }
    const override = await attempt(
      () => post<OncallOverride>('/api/admin/oncall/overrides', request),
      ({ name, schedule: on }) => `${name ?? 'Nobody'} is on call for ${on}`,
    )
    busy.value = false
    if (override !== undefined) made()
  }
  return (
    <Dialog title="New override" close={close}>
      <form class="oncall-form" onSubmit={(event) => event.preventDefault()}>
        <Choose label="Schedule" of={schedule} options={schedules.map(({ name }) => name)} />
        <Choose label="Person" of={person} options={[...names, NOBODY]} />
        <Choose label="Instead of" of={insteadOf} options={[['', 'whoever is on call'], ...names]} />
        <Field label={`From (${timeZone})`} type="datetime-local" of={from} />
        <Field label={`Until (${timeZone})`} type="datetime-local" of={until} />
        <Field label="Reason" of={reason} />
        <Field label="Made by" of={by} />
        <p class="quiet">The person and those relieved are told, where escalations have ways to reach them.</p>
      </form>
      <footer class="dialog-foot">
        <Button onPress={close}>Cancel</Button>
        <Button primary busy={busy.value} disabled={!isReady} onPress={() => void make()}>
          Make the override
        </Button>
      </footer>
    </Dialog>
  )
}

interface FieldProps {
  readonly label: string
  readonly type?: 'text' | 'datetime-local'
  readonly of: { value: string }
}

const Field = ({ label, type = 'text', of }: FieldProps) => (
  <label class="field stack gap-1">
    {label}
    <input
      type={type as 'text'}
      maxlength={200}
      value={of.value}
      onInput={(event) => (of.value = event.currentTarget.value)}
    />
  </label>
)
