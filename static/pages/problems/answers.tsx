import type { AnswerRecord } from '../../../src/api/answer.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { State } from '../../ui/chip.tsx'
import { Time } from '../../ui/time.tsx'

/** What people did to a problem, latest first: who, what, when, from where and with what result. */
export const Answers = ({ of }: { readonly of: readonly AnswerRecord[] }) =>
  of.length === 0 ? null : (
    <Card title="Answers" label="Answers">
      <ol class="answers">
        {of.map((answer) => (
          <li key={answer.id} class="answer-row lined">
            <State of={answer.result} />
            <span class="answer-did">
              <strong>{answer.actor}</strong> {didOf(answer)}
              {answer.silence !== null && (
                <>
                  {' '}
                  <a href={href('silences', String(answer.silence))}>silence {answer.silence}</a>
                </>
              )}
            </span>
            <span class="quiet answer-from">{fromOf(answer)}</span>
            <span class="quiet answer-at">
              <Time at={answer.at} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )

const DID = {
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  silence: 'silenced',
  silence_until_resolved: 'silenced until resolved',
  end_silence: 'ended the silence',
  acknowledge_all: 'acknowledged all of a digest',
  test: 'pressed the test button',
} as const

const didOf = ({ action, minutes }: AnswerRecord) =>
  minutes === null ? DID[action] : `${DID[action]} ${timeOf(minutes)}`
const timeOf = (minutes: number) => (minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`)

const FROM: { readonly [via: string]: string } = { link: 'by link', admin: 'by dashboard, API or command' }
const fromOf = ({ via, place }: AnswerRecord) => FROM[via] ?? (place === '' ? `from ${via}` : `from ${via} ${place}`)
