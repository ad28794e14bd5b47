import type { Settlement } from '../../src/domain/commit.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Told } from '../../src/domain/oncall.ts'
import type { Place } from '../../src/kernel/mailbox.ts'
import type { Commit, Committed } from '../messages/ingest-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { sameOf } from './append-all.ts'
import type { Debt } from './unwritten.ts'

/** The commits of one message, and the place it holds until its reply is told. */
export interface Commits extends Pick<Commit, 'batch' | 'submissions'> {
  readonly place: Place
}

/** All the mail of one event-loop turn, by kind. */
export interface Turn extends Debt {
  /** Each with its place, which is freed when its reply is told. */
  readonly commits: readonly Commits[]
  /** Places of all other mail: freed when the turn is on disk. */
  readonly done: readonly Place[]
}

export const NOTHING_NEW: Turn = { commits: [], settlements: [], told: [], sendersLost: false, done: [] }

export function sorted(batch: readonly StorageMail[], places: readonly Place[]): Turn {
  const commits: Commits[] = []
  const settlements: Settlement[] = []
  const told: Told[] = []
  const done: Place[] = []
  let sendersLost = false
  batch.forEach((mail, at) => {
    const place = places[at] as Place
    switch (mail.kind) {
      case 'commit':
        commits.push({ ...mail, place })
        return
      case 'settle':
        settlements.push(mail.settlement)
        done.push(place)
        return
      case 'told':
        told.push(mail.told)
        done.push(place)
        return
      case 'peer':
        sendersLost ||= !mail.up
        done.push(place)
        return
      default:
        mail satisfies never
    }
  })
  return { commits, settlements, told, sendersLost, done }
}

export function refusal({ batch, submissions }: Pick<Commit, 'batch' | 'submissions'>, code: ErrorCode): Committed {
  return { kind: 'committed', batch, results: sameOf(submissions, { kind: 'refused', code }) }
}

export const incidentsOf = (commits: readonly Commits[]) =>
  commits.reduce((sum, { submissions }) => submissions.reduce((own, { incidents }) => own + incidents, sum), 0)
