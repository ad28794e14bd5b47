import { counter, type Family, gauge, one, seconds } from './family.ts'

const ANSWER_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500]

/** Splits keys of words with blanks between them into one label each. */
export const labelled = (names: readonly string[], counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([key, value]) => {
    const words = key.split(' ')
    return { labels: Object.fromEntries(names.map((name, at) => [name, words[at] ?? ''])), value }
  })

/** Presses of buttons in messages. */
export const ANSWERS: readonly Family[] = [
  counter('tocsin_answers_total', 'Presses of buttons, by their result.', ({ answers }) =>
    labelled(['channel', 'action', 'result'], answers.presses),
  ),
  seconds('tocsin_answer_seconds', 'Seconds from a press to its record on disk.', ANSWER_MS, ({ answers }) => [
    { of: answers.tookMs },
  ]),
  gauge('tocsin_answer_receiver_up', 'Whether presses of a channel can come back: 1 or 0.', ({ answers }) =>
    answers.receivers.map(({ channel, isUp }) => ({ labels: { channel }, value: Number(isUp) })),
  ),
  counter('tocsin_answer_reconnects_total', 'Receivers that were up and are not any more.', ({ answers }) =>
    labelled(['channel', 'reason'], answers.reconnects),
  ),
  gauge('tocsin_answer_edits_pending', 'Messages that wait for the edit after an answer.', ({ storage }) =>
    (storage?.answerEdits ?? []).map(({ channel, waiting: value }) => ({ labels: { channel }, value })),
  ),
  counter('tocsin_answer_replies_dropped_total', 'Sentences that did not reach who pressed.', ({ answers }) =>
    one(answers.repliesDropped),
  ),
]
