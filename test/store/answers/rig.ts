import type { Answer, AnswerAction } from '../../../src/domain/answer.ts'
import type { Dispatch, MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
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

export const ANSWERING = { answering: ['chatws'] } as const
const isEdit = ({ kind, edits }: MessageDispatch) => kind === 'follow-up' && edits !== undefined

/** Sends all that becomes due until nothing is, and returns the edits. `outcome`: of each edit. */
export function edited(rig: StoreRig, outcome: 'sent' | 'gone' = 'sent'): MessageDispatch[] {
  const found: MessageDispatch[] = []
  for (let at = rig.store.outbox.nextDueAt('chatws'); at < Infinity; at = rig.store.outbox.nextDueAt('chatws')) {
    rig.now = Math.max(rig.now, at)
    for (const dispatch of rig.claim('chatws')) {
      if (isEdit(dispatch)) found.push(dispatch)
      if (outcome === 'sent' || !isEdit(dispatch)) rig.settle(dispatch, { state: 'sent' })
      else rig.settle(dispatch, { state: 'pending', at: rig.now }, { outcome })
    }
  }
  return found
}

/** The ids of the messages of an incident, by channel. */
const messagesOf = (rig: StoreRig, id: string) =>
  Object.fromEntries(
    rig.detail(id).deliveries.map(({ channel, attempts }) => [channel, attempts.at(-1)?.message_id ?? '']),
  )
export const chatOf = (rig: StoreRig, id: string) => messagesOf(rig, id).chatws ?? ''
export const pressOf = (rig: StoreRig, id: string, action: Parameters<typeof press>[1] = 'acknowledge') =>
  press(id, action, { copy: { messageId: chatOf(rig, id) } })
