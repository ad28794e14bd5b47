import type { Brief, NoteRecord } from '../../api/brief.ts'
import { UsageError } from '../command.ts'
import { defineCommand } from '../define-command.ts'
import { callApi, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'

const ID = /^[\w-]{1,64}$/

export const brief = defineCommand({
  name: 'brief',
  summary: 'print what is known about a problem of a running service',
  about: `Asks a running service for the brief of a problem: who was notified, earlier times, notes, silences, what fires beside it, and
changes. ID is the number of a problem or the id of an incident. Times are in UTC.
The secret is read from GATEWAY_SECRET or the configuration.`,
  word: 'ID',
  options: { opening: { value: 'NUMBER', description: 'the brief of an earlier time that it fired' }, ...ANSWER },
  async run({ opening, json, ...asked }, words) {
    if (opening !== undefined && !/^\d+$/.test(opening))
      throw new UsageError('--opening takes the number of an opening')
    const query = opening === undefined ? '' : `?opening=${opening}`
    // Also `serve` loads all commands.
    const { briefLines } = await import('../../brief/text.ts')
    const answer = await callApi<Brief>(serviceOf(asked), `${pathOf(words, 'brief')}/brief${query}`)
    print(json, answer, (found) => briefLines(found, Date.parse(found.at)))
    return 0
  },
})

export const note = defineCommand({
  name: 'note',
  summary: 'note something about a problem of a running service',
  about: `Adds a note to a problem, at most 2,000 characters: its brief shows it now and when it fires again. Nobody is notified. ID is
the number of a problem or the id of an incident. The secret is read from GATEWAY_SECRET or the configuration.`,
  word: 'ID TEXT',
  options: { by: { value: 'NAME', description: 'the person who notes it' }, ...ANSWER },
  async run({ by, json, ...asked }, [id = '', ...words]) {
    const text = words.join(' ').trim()
    if (text === '') throw new UsageError('note takes an id and a text')
    const body = { text, ...(by !== undefined && { by }) }
    const path = `${pathOf([id], 'note')}/notes`
    const made = await callApi<NoteRecord>(serviceOf(asked), path, { method: 'POST', json: body })
    print(json, made, (found) => [`note ${found.id}`])
    return 0
  },
})

/** Throws a UsageError. */
function pathOf([id = '', ...more]: readonly string[], command: string): string {
  if (more.length > 0 || !ID.test(id))
    throw new UsageError(`${command} takes the number of a problem or the id of an incident`)
  return `/api/admin/problems/${id}`
}
