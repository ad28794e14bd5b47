import type { AnswerAction, AnswerButton, AnswerState } from '../domain/answer.ts'
import type { AnswerChoice } from './options.ts'
import { type PhoneTopic, tokenOf } from './token.ts'

/** What a message shows of its problem: a line below the text, in plain text, and buttons; none when it is over. */
export interface AnswerPart {
  readonly line?: string
  readonly buttons: readonly AnswerButton[]
}

interface ButtonDeps {
  /** As `answerKey` returns it. */
  readonly key: Uint8Array
  /** In the order in which people see them. */
  readonly choices: readonly AnswerChoice[]
}

/**
 * Returns what makes line and buttons of the state of a problem. `now`: epoch milliseconds; `phone` where the message
 * goes to phones.
 */
export function openButtons({ key, choices }: ButtonDeps) {
  return (state: AnswerState, now: number, phone?: PhoneTopic): AnswerPart => ({
    ...(state.last && { line: lineOf(state.last, now) }),
    buttons: choicesNow(state, choices).map((choice) => ({
      action: choice.action,
      label: labelOf(choice),
      token: tokenOf(key, { ...choice, subject: state.subject }, phone),
    })),
  })
}

/** Returns the button of a test message. It changes nothing: the reply names the person's id. */
export const testButton = (key: Uint8Array, phone?: PhoneTopic): AnswerButton => ({
  action: 'test',
  label: LABELS.test,
  token: tokenOf(key, { action: 'test', subject: { kind: 'incident', id: NO_INCIDENT } }, phone),
})

const NO_INCIDENT = '00000000-0000-0000-0000-000000000000'

function choicesNow(
  { subject, phase, acknowledged, silenced }: AnswerState,
  choices: readonly AnswerChoice[],
): readonly AnswerChoice[] {
  if (phase === 'over') return []
  const open = choices.filter(({ action }) => action !== 'acknowledge' || !acknowledged)
  if (subject.kind === 'digest')
    return open.some(({ action }) => action === 'acknowledge') ? [{ action: 'acknowledge_all' }] : []
  if (!silenced) return open
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

const labelOf = ({ action, minutes }: AnswerChoice) =>
  minutes === undefined ? LABELS[action] : `${LABELS[action]} ${timeText(minutes)}`

/** Returns a number of minutes in the largest unit that needs no fraction: `90 min`, `1 h`, `2 d`. */
export function timeText(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

const DID = {
  acknowledged: '✅ Acknowledged',
  resolved: '🟢 Resolved',
  silenced: '🔕 Silenced',
  silence_ended: '🔔 Silence ended',
} as const

/** `✅ Acknowledged by Ada Lovelace 03:14 UTC`, with the date where it is another day than now. */
function lineOf({ did, by, at, until }: NonNullable<AnswerState['last']>, now: number): string {
  const end = until === undefined ? '' : `, until ${until === 'resolved' ? until : clockTime(until, now)}`
  return `${DID[did]} by ${by} ${clockTime(at, now)}${end}`
}

function clockTime(at: number, now: number): string {
  const [day, time] = new Date(at).toISOString().split('T') as [string, string]
  const date = day === new Date(now).toISOString().slice(0, day.length) ? '' : `${day} `
  return `${date}${time.slice(0, 5)} UTC`
}
