import { CodedError } from '../../../src/domain/errors.ts'
import type { SilenceSettings } from '../../../src/policy/silences/settings.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Answers } from '../../messages/query.ts'
import type { SilenceChanges, StorageQueries } from '../../messages/storage-queries.ts'
import { openSilencing } from '../../wiring/open-policy.ts'

type Silences = Pick<
  StorageQueries,
  'silences' | 'plainSilences' | 'silence' | 'changeSilence' | 'endSilence' | 'addSilence' | 'previewSilence'
>

interface SilenceContext {
  readonly store: Pick<Store, 'silences'>
  /** Epoch milliseconds. */
  now(): number
  /** Runs a change, then begins a turn. */
  changed<T>(change: () => T): T
}

/** Answers about silences. Those that compile one load the compiler at the first question: `started`. */
export function silenceAnswers({ store: { silences }, now, changed }: SilenceContext) {
  async function started(): Promise<void> {
    if (silences.isStarted()) return
    const compile = await openSilencing()
    if (!silences.isStarted()) silences.start({ compile, configured: [] })
  }

  const answers: Answers<Silences> = {
    silences: ({ filter }) => silences.list(filter),
    async plainSilences({ live, id }) {
      await started()
      return silences.plain(live, id)
    },
    silence: ({ id }) => silences.detail(id),
    async previewSilence({ settings }) {
      await started()
      return silences.preview(settings)
    },
    async addSilence({ settings, broad }) {
      await started()
      const { silence, preview } = changed(() => silences.add(settings, broad))
      return { silence, preview }
    },
    async changeSilence({ id, changes }) {
      await started()
      const settings = silences.settings(id)
      if (settings === undefined) return changed(() => silences.end(id, '')?.silence)
      return changed(() => silences.change(id, changedSettings(settings, changes, now()))?.silence)
    },
    async endSilence({ id, by }) {
      await started()
      return changed(() => silences.end(id, by)?.silence)
    },
  }
  return { started, answers }
}

const MAX_WINDOW_MS = 30 * 24 * 3_600_000
const MAX_RECURRING_MS = 366 * 24 * 3_600_000

function changedSettings(settings: SilenceSettings, changes: SilenceChanges, now: number): SilenceSettings {
  const { startsAt = settings.startsAt, endsAt = settings.endsAt } = changes
  const isOnce = settings.schedule === undefined && settings.while === undefined
  const latest = isOnce ? startsAt + MAX_WINDOW_MS : now + MAX_RECURRING_MS
  if (endsAt > latest)
    throw new CodedError(
      'bad_parameter',
      `ends_at must be ${isOnce ? 'at most 30 days after the begin' : 'at most one year ahead'}`,
    )
  return { ...settings, ...changes, endsAt }
}
