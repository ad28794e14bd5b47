import type { Answer, AnswerAction } from '../../../src/domain/answer.ts'
import type { Dispatch } from '../../../src/domain/dispatch.ts'
import type { Store } from '../../../src/store/store.ts'
import { draft, START, type StoreRig } from '../support.ts'

let presses = 0

/** A press on the message of an incident. */
export const press = (
  incident: string,
  action: AnswerAction = 'acknowledge',
  changes: Partial<Answer> = {},
): Answer => ({
  ...{ action, subject: { kind: 'incident', id: incident }, key: `press ${++presses}`, via: 'chatws' },
  ...{ actor: 'Ada Lovelace', actorId: 'U1', place: 'C1', quietForMs: 600_000, maxMs: 86_400_000 },
  ...changes,
})

export const answer = (store: Store, given: Answer) => store.answers.answer(given).answered

/** Commits an incident of a fingerprint, and sends its message to the channel as `<channel>/<n>`. */
export function tell(rig: StoreRig, changes: Parameters<typeof draft>[0] = {}): string {
  const one = draft({ fingerprint: 'custom:db', title: 'Disk full', ...changes })
  rig.now += 1_000
  const { dispatches } = rig.commit({ drafts: [one] }, ['chatws', 'email'])
  for (const dispatch of dispatches) send(rig, dispatch)
  return one.id
}

let sent = 0
const send = (rig: StoreRig, dispatch: Dispatch) =>
  rig.settle(
    dispatch,
    { state: 'sent' },
    { startedAt: START, ...('edits' in dispatch ? {} : { messageId: `${dispatch.destination}/${++sent}` }) },
  )
