import { z } from 'zod'
import { ANSWER_ACTIONS, ANSWER_RESULTS, ANSWER_WAYS } from '../domain/answer.ts'
import { count, nextCursor, type Shape, time } from './fields.ts'

export const AnswerRecord = z
  .object({
    id: z.int().min(1),
    at: time,
    action: z.enum(ANSWER_ACTIONS),
    minutes: count.nullable().describe('Of a silence for a time'),
    via: z.enum(ANSWER_WAYS).describe('The channel whose message was pressed, a link, or the admin API'),
    person: z.string().nullable().describe('Key in `people`; null: not listed there'),
    actor: z.string().describe('Name, as messages show it'),
    actor_id: z.string().describe("The provider's id of the person; empty where there is none"),
    place: z.string().describe("The provider's id of the chat; empty where there is none"),
    problem: z.int().min(1).nullable(),
    incident: z.string().nullable().describe('Whose message was pressed; null for a digest'),
    digest: z.int().min(1).nullable(),
    title: z.string().nullable().describe('Of the problem; null when it is not stored any more'),
    result: z.enum(ANSWER_RESULTS),
    silence: z.int().min(1).nullable().describe('Silence that was made, prolonged or ended'),
  })
  .describe('What a person did to a problem, and from where')
export type AnswerRecord = Shape<typeof AnswerRecord>

/** Latest first. */
export const AnswerPage = z.object({ answers: z.array(AnswerRecord), next_cursor: nextCursor })
export type AnswerPage = Shape<typeof AnswerPage>
