import type { AnswerAction, AnswerButton, AnswerState } from '../domain/answer.ts'
import type { AnswerChoice } from './options.ts'
import { type PhoneTopic, tokenOf } from './token.ts'

/** What a message shows of its problem: a line below the text, in plain text, and buttons; none when it is over. */
export interface AnswerPart {
  readonly line?: string
  readonly buttons: readonly AnswerButton[]
}

/**
 * Returns what makes line and buttons of the state of a problem. `key`: as `answerKey` returns it; `choices`: in the
 * order in which people see them; `now`: epoch milliseconds; `phone` where the message goes to phones.
 */
export const openButtons =
  (key: Uint8Array, choices: readonly AnswerChoice[]) =>
  (state: AnswerState, now: number, phone?: PhoneTopic): AnswerPart => ({
    ...(state.last && { line: lineOf(state.last, now) }),
    buttons: choicesNow(state, choices).map((choice) => ({
      action: choice.action,
      label: labelOf(choice),
      token: tokenOf(key, { ...choice, subject: state.subject }, phone),
    })),
  })

/** Returns the button of a test message. It changes nothing: the reply names the person's id. */
export const testButton = (key: Uint8Array, phone?: PhoneTopic): AnswerButton => ({
  action: 'test',
  label: LABELS.test,
  token: tokenOf(key, { action: 'test', subject: { kind: 'incident', id: NO_INCIDENT } }, phone),
})

const NO_INCIDENT = '00000000-0000-0000-0000-000000000000'

function choicesNow({ subject, phase, ...state }: AnswerState, all: readonly AnswerChoice[]): readonly AnswerChoice[] {
  if (phase === 'over') return []
  const open = all.filter(({ action }) => action !== 'acknowledge' || !state.acknowledged)
  if (subject.kind === 'digest')
    return open.some(({ action }) => action === 'acknowledge') ? [{ action: 'acknowledge_all' }] : []
  if (!state.silenced) return open
  return [{ action: 'end_silence' }, ...open.filter(({ action }) => !action.startsWith('silence'))]
}

const LABELS: { readonly [action in AnswerAction]: string } = {
  acknowledge: 'Acknowledge',
  resolve: 'Resolve',
  silence: 'Silence',
  silence_until_resolved: 'Silence until resolved',
  end_silence: 'End silence',
  acknowledge_all: 'Acknowledge all',
  test: 'Test',
}

/** Names a time in the largest unit that needs no fraction: `Silence 90 min`, `Silence 1 h`, `Silence 2 d`. */
function labelOf({ action, minutes }: AnswerChoice): string {
  if (minutes === undefined) return LABELS[action]
  const [size, unit] = (
    [
      [1_440, 'd'],
      [60, 'h'],
    ] as const
  ).find(([size]) => minutes % size === 0) ?? [1, 'min']
  return `${LABELS[action]} ${minutes / size} ${unit}`
}

const DID = {
  acknowledged: '✅ Acknowledged',
  resolved: '🟢 Resolved',
  silenced: '🔕 Silenced',
  silence_ended: '🔔 Silence ended',
} as const

/** `✅ Acknowledged by Ada Lovelace 03:14 UTC`, with the date where it is another day than now. */
function lineOf({ did, by, at, until }: NonNullable<AnswerState['last']>, now: number): string {
  const today = new Date(now).toISOString().slice(0, 11)
  const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace(today, '').replace('T', ' ')} UTC`
  const end = until === undefined ? '' : `, until ${until === 'resolved' ? until : time(until)}`
  return `${DID[did]} by ${by} ${time(at)}${end}`
}
