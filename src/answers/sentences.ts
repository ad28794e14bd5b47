import type { Answered, AnswerOrder } from '../domain/answer.ts'
import { timeText } from './buttons.ts'

/**
 * Returns one line of plain text, not escaped, for the person who pressed. Without `order` the press carried no token of
 * ours. `actorId`: the provider's id of the person.
 */
export function sentenceOf(answered: Answered, order: AnswerOrder | undefined, actorId: string): string {
  if (order?.action === 'test' && answered.result === 'done')
    return `The button works. Your id for "people": ${actorId}`
  switch (answered.result) {
    case 'done':
      return order === undefined ? '' : doneText(order)
    case 'already':
      return unchanged(order?.action === 'acknowledge' ? pastText('Acknowledged', answered) : alreadyText(order))
    case 'over':
      return unchanged(pastText('Resolved', { by: 'its sender', ...answered }))
    case 'superseded':
      return unchanged('The problem began anew after this message; answer at the newest one.')
    case 'unknown':
      return unchanged('It is not stored any more.')
    case 'not_allowed':
      return unchanged(`Only people of the configuration can answer here; your id: ${actorId}.`)
    case 'wrong_chat':
      return unchanged('This chat is none of the service.')
    case 'forged':
      return unchanged('This button is none of the service, or has expired.')
    case 'too_many':
      return unchanged('There were too many presses: try again in a minute.')
    case 'not_stored':
      return 'It was not stored: please press again.'
    default:
      return answered.result satisfies never
  }
}

const unchanged = (reason: string) => `${reason} Nothing was changed.`

function doneText({ action, minutes = 0 }: AnswerOrder): string {
  switch (action) {
    case 'acknowledge':
      return 'Acknowledged.'
    case 'resolve':
      return 'Resolved.'
    case 'silence':
      return `Acknowledged, and silenced for ${timeText(minutes)}.`
    case 'silence_until_resolved':
      return 'Acknowledged, and silenced until resolved.'
    case 'end_silence':
      return 'The silence is over.'
    case 'acknowledge_all':
      return 'All problems of this digest are acknowledged.'
    case 'test':
      return ''
    default:
      return action satisfies never
  }
}

function alreadyText(order: AnswerOrder | undefined): string {
  if (order?.action === 'end_silence') return 'No silence that a button made is in force.'
  if (order?.action === 'acknowledge_all') return 'All of these are acknowledged already.'
  return 'It is silenced already.'
}

/** `Resolved 03:12 UTC by its sender.` */
function pastText(word: string, { by, at }: Pick<Answered, 'by' | 'at'>): string {
  const time = at === undefined ? 'already' : `${new Date(at).toISOString().slice(11, 16)} UTC`
  return `${word} ${time}${by === undefined ? '' : ` by ${by}`}.`
}
