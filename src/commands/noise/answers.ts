import type { AnswerPage, AnswerRecord } from '../../api/answer.ts'
import { defineCommand } from '../define-command.ts'
import { ANSWER, printListOrOne } from './answer.ts'
import { alignedLines } from './columns.ts'

export const answers = defineCommand({
  name: 'answers',
  summary: 'list what people did to problems of a running service, and from where',
  about: `Asks a running service for what people did to its problems, latest first: from messages, links, the dashboard and the API. The
secret is read from GATEWAY_SECRET or the configuration.`,
  options: {
    problem: { value: 'NUMBER', description: 'only those to one problem' },
    by: {
      value: 'WHO',
      description: 'only those of one person: the name, the id at the provider, or the key in people',
    },
    via: { value: 'NAME', description: 'only those from a channel, from links (link), or of operators (admin)' },
    result: { value: 'RESULT', description: 'only those with a result: done, already, over, superseded, unknown' },
    ...ANSWER,
  },
  run({ problem, by, via, result, ...asked }, words) {
    const filter = { problem, by, via, result }
    return printListOrOne({ nouns: 'answers', words, asked, filter }, lines, () => [])
  },
})

function lines({ answers: found, next_cursor }: AnswerPage): string[] {
  if (found.length === 0) return ['no answer']
  const table = alignedLines([
    ['at', 'who', 'action', 'problem', 'title', 'from', 'place', 'result'],
    ...found.map(row),
  ])
  return next_cursor === null ? table : [...table, `older ones are not shown: the latest ${found.length} are`]
}

function row({ at, actor, action, minutes, problem, title, via, place, result }: AnswerRecord) {
  const did = minutes === null ? action : `${action} ${minutes} min`
  return [at, actor, did, problem ?? '-', title ?? '-', via, place || '-', result]
}
