import type { DigestDetail, DigestPage, DigestProblem } from '../../api/noise/digest.ts'
import { destinationName } from '../../domain/delivery.ts'
import { UsageError } from '../command.ts'
import { CONFIG, defineCommand } from '../define-command.ts'
import { callApi, SERVICE, serviceOf } from '../service.ts'
import { alignedLines } from './columns.ts'

const SHOWN = 50

export const digests = defineCommand({
  name: 'digests',
  summary: 'list the digests of a running service, or the problems of one',
  about: `Asks a running service for its digests, newest first; with a number, for the problems of that one, loudest first. The secret is read
from GATEWAY_SECRET or the configuration.`,
  word: 'NUMBER',
  options: {
    open: { description: 'only digests of storms that last' },
    destination: { value: 'NAME', description: 'only digests of a destination: chatws, or chatws:payments' },
    json: { description: 'print the answer as JSON' },
    ...SERVICE,
    config: CONFIG,
  },
  async run({ open, destination, json, ...where }, [number, ...more]) {
    if (more.length > 0 || (number !== undefined && !/^\d+$/.test(number)))
      throw new UsageError('digests takes the number of one digest')
    const service = serviceOf(where)
    const query = new URLSearchParams({ limit: String(SHOWN) })
    if (open) query.set('open', 'true')
    if (destination !== undefined) query.set('destination', destination)
    const path = number === undefined ? `/api/admin/digests?${query}` : `/api/admin/digests/${number}`
    const answer = await callApi(service, path)
    const lines = () => (number === undefined ? listLines(answer as DigestPage) : detailLines(answer as DigestDetail))
    console.log(json ? JSON.stringify(answer) : lines().join('\n'))
    return 0
  },
})

function listLines({ digests: found, next_cursor }: DigestPage): string[] {
  if (found.length === 0) return ['no digest']
  const table = alignedLines([
    ['digest', 'destination', 'state', 'opened', 'closed', 'incidents', 'told', 'problems', 'revision'],
    ...found.map((digest) => [
      String(digest.number),
      destinationName(digest),
      digest.state,
      digest.opened_at,
      digest.closed_at ?? '-',
      String(digest.folded),
      String(digest.told),
      String(digest.problems),
      String(digest.revision),
    ]),
  ])
  return next_cursor === null ? table : [...table, `older ones are not shown: the newest ${found.length} are`]
}

function detailLines(digest: DigestDetail): string[] {
  const { number, state, folded, told, problems, problem_list, opened_at, closed_at } = digest
  const until = closed_at === null ? 'open' : `until ${closed_at}`
  return [
    `digest ${number} for ${destinationName(digest)}: ${state}, since ${opened_at}, ${until}`,
    `${folded} incidents of ${problems} problems, ${told} told`,
    ...alignedLines(problem_list.map(problemRow)),
    ...(problems > problem_list.length ? [`the quietest ${problems - problem_list.length} are not listed`] : []),
  ]
}

const problemRow = ({
  severity,
  service,
  title,
  status,
  firing,
  resolved,
  singly,
  last_incident_id,
}: DigestProblem) => [` ${severity}`, service, title, `x${firing + resolved + singly}`, status, last_incident_id]
