import { MAX_FLAP_MS } from '../../../policy/repeat.ts'
import type { ConditionSettings } from '../../../policy/route.ts'
import type { SilenceSettings } from '../../../policy/silences/settings.ts'
import { type Statements, withoutNul } from '../../engine/statement.ts'
import type { ClosedWindow, LiveSilence, OpenWindow, SilenceOrigin } from './live.ts'

export interface SilenceRow {
  readonly id: number
  readonly origin: SilenceOrigin
  readonly settings: string
  readonly created_at: number
  readonly ended_at: number | null
  readonly ended_by: string | null
  readonly window_from: number | null
  readonly window_to: number | null
  readonly reminded: number
  readonly quiet_at: number | null
  readonly opened_after: number
  readonly held_through: number
  readonly last: string | null
  readonly held_total: number
  readonly last_held_at: number | null
}

/** Account of one window of a silence. Times are epoch milliseconds. */
export interface WindowAccount {
  readonly from: number
  readonly to: number
  readonly alerts: number
  readonly problems: number
  readonly resolved: number
  readonly firing: number
  readonly criticals: number
  readonly pages: number
}

export const SILENCE_COLUMNS = `id, origin, settings, created_at, ended_at, ended_by, window_from, window_to, reminded, quiet_at, opened_after, held_through, last,
  held_total, last_held_at`

/** Rows of `silences`. All but the reads inside `write`. */
export type SilenceRows = ReturnType<typeof openSilenceRows>

export function openSilenceRows(db: Statements) {
  const live = db.query<SilenceRow>(`SELECT ${SILENCE_COLUMNS} FROM silences WHERE ended_at IS NULL ORDER BY id`)
  const find = db.query<SilenceRow>(`SELECT ${SILENCE_COLUMNS} FROM silences WHERE id = ?`)
  const any = db.query<object>('SELECT 1 FROM silences WHERE ended_at IS NULL OR releasing IS NOT NULL LIMIT 1')
  const insert = db.query<{ id: number }>(
    'INSERT INTO silences (origin, settings, created_at) VALUES (?, ?, ?) RETURNING id',
  )
  const finished = db.query<{ settings: string }>(
    `SELECT settings FROM silences WHERE origin = 'config' AND ended_at IS NOT NULL AND ended_by IS NULL`,
  )
  const saveSettings = db.command('UPDATE silences SET settings = ? WHERE id = ?')
  const saveWindow = db.command(
    'UPDATE silences SET window_from = ?, window_to = ?, reminded = ?, quiet_at = ?, opened_after = ?, held_through = ? WHERE id = ?',
  )
  const account = db.command(
    'UPDATE silences SET last = ?, held_total = held_total + ?, last_held_at = coalesce(?, last_held_at) WHERE id = ?',
  )
  const end = db.command('UPDATE silences SET ended_at = ?, ended_by = ? WHERE id = ?')
  const closed = db.query<{ releasing: string }>(
    'SELECT releasing FROM silences WHERE releasing IS NOT NULL ORDER BY id',
  )
  const saveClosed = db.command('UPDATE silences SET releasing = ? WHERE id = ?')
  const first = db.query<{ seq: number | null }>('SELECT min(seq) AS seq FROM incidents')
  return {
    live: (): SilenceRow[] => live.all(),
    find: (id: number): SilenceRow | undefined => find.get(id),
    hasLive: (): boolean => any.get() !== undefined,
    /** One of the configuration with these settings is over for good. */
    wasFinished: (settings: SilenceSettings): boolean =>
      finished.all().some((row) => jsonOf(withoutLines(settingsOf(row))) === jsonOf(withoutLines(settings))),
    add: (origin: SilenceOrigin, settings: SilenceSettings, now: number): number =>
      insert.get(origin, jsonOf(settings), now)?.id as number,
    saveSettings: (id: number, settings: SilenceSettings): void => void saveSettings.run(jsonOf(settings), id),
    saveWindow({ id, window }: Pick<LiveSilence, 'id' | 'window'>): void {
      if (window === undefined) return void saveWindow.run(null, null, 0, null, 0, 0, id)
      const { from, to, reminded, quietAt, openedAfter, heldThrough } = window
      saveWindow.run(from, to, reminded ? 1 : 0, quietAt ?? null, openedAfter, heldThrough, id)
    },
    /** Records the account of a window that closes. */
    account: (id: number, of: WindowAccount, lastAt: number | null): void =>
      void account.run(JSON.stringify(of), of.alerts, lastAt, id),
    end: (id: number, at: number, by: string | undefined): void =>
      void end.run(at, by === undefined ? null : withoutNul(by), id),
    /** Windows that have closed and hold something still, in the order of the silences. */
    closed: (): ClosedWindow[] => closed.all().map(({ releasing }) => JSON.parse(releasing)),
    /** Undefined: nothing is held any more. */
    saveClosed: (id: number, window: ClosedWindow | undefined): void =>
      void saveClosed.run(window === undefined ? null : withoutNul(JSON.stringify(window)), id),
    /** Returns a number below those of all stored incidents. */
    beforeFirstIncident: (): number => (first.get()?.seq ?? 1) - 1,
  }
}

export const jsonOf = (settings: SilenceSettings) => withoutNul(JSON.stringify(settings))
/** Lines of the file move when something above them is changed. */
const withoutLines = (settings: SilenceSettings): SilenceSettings => ({
  ...settings,
  where: '',
  conditions: settings.conditions.map(withoutLine),
  ...(settings.while && { while: settings.while.map(withoutLine) }),
})
const withoutLine = (condition: ConditionSettings): ConditionSettings => ({ ...condition, where: '' })

/** Two of the configuration are the same with one name and the same conditions. */
export function isSameSilence(a: SilenceSettings, b: SilenceSettings): boolean {
  const of = (settings: SilenceSettings) => {
    const { conditions, while: causes, equal } = withoutLines(settings)
    return JSON.stringify([conditions, causes, equal])
  }
  return a.name === b.name && of(a) === of(b)
}

export const settingsOf = ({ settings }: Pick<SilenceRow, 'settings'>): SilenceSettings => JSON.parse(settings)

/** Returns the open window, whose quiet may have begun by a wrong clock. `now`: epoch milliseconds. */
export function windowOf(row: SilenceRow, now: number): OpenWindow | undefined {
  const { window_from: from, window_to: to, reminded, opened_after: openedAfter, held_through: heldThrough } = row
  if (from === null || to === null) return undefined
  const quietAt = Math.min(row.quiet_at ?? now, now + MAX_FLAP_MS)
  return { from, to, reminded: reminded === 1, quietAt, openedAfter, heldThrough }
}
