import type { AnswerAction, Answered, AnswerOrder, AnswerResult } from '../domain/answer.ts'

/**
 * Returns one line of plain text, not escaped, for the person who pressed. `order`: undefined where the press carried no
 * token of ours. `actorId`: the provider's id of the person.
 */
export function sentenceOf(answered: Answered, order: AnswerOrder | undefined, actorId: string): string {
  if (answered.result === 'not_silenced') return REASONS.not_silenced
  if (answered.result === 'done') return order ? withId(DONE[order.action], actorId) : ''
  return `${pastText(answered, order) ?? withId(REASONS[answered.result], actorId)} Nothing was changed.`
}

const DONE: { readonly [action in AnswerAction]: string } = {
  acknowledge: 'Acknowledged.',
  resolve: 'Resolved.',
  silence: 'Acknowledged and silenced.',
  silence_until_resolved: 'Acknowledged, and silenced until resolved.',
  end_silence: 'The silence is over.',
  acknowledge_all: 'The problems that this digest told of are acknowledged.',
  test: 'The button works. Your id for "people": {id}',
}

const REASONS: { readonly [result in Exclude<AnswerResult, 'done'>]: string } = {
  already: 'It is so already.',
  over: 'It is resolved.',
  superseded: 'The problem began anew after this message: answer at the newest one.',
  unknown: 'It is not stored any more.',
  not_allowed: 'Only people of the configuration can answer here; your id: {id}.',
  wrong_chat: 'This chat is none of the service.',
  forged: 'This button is none of the service, or has expired.',
  too_many: 'There were too many presses: try again in a minute.',
  not_silenced: 'It is acknowledged, but not silenced: 1,000 silences are live, and some must be ended first.',
  not_stored: 'It could not be stored: press again.',
}

const withId = (text: string, id: string) => text.replace('{id}', () => id)

/** Says who was first, where that is known: `Resolved 03:12 UTC by its sender.` Quiet is nobody. */
function pastText({ result, by, at }: Answered, order: AnswerOrder | undefined): string | undefined {
  if (at === undefined) return undefined
  const time = `${new Date(at).toISOString().slice(11, 16)} UTC`
  if (result === 'over') return `Resolved ${time}${by ? ` by ${by}` : ''}.`
  return result === 'already' && order?.action === 'acknowledge' && by ? `Acknowledged ${time} by ${by}.` : undefined
}
