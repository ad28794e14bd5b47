import { UsageError } from '../command.ts'
import type { ParsedArguments } from '../define-command.ts'
import { callApi, SERVICE, serviceOf } from '../service.ts'

/** Options of commands that print an answer of a running service. */
export const ANSWER = { json: { description: 'print the answer as JSON' }, ...SERVICE } as const

type Asked = ParsedArguments<typeof ANSWER>
type LinesOf<Answer> = (answer: Answer) => readonly string[]

/** Prints an answer as JSON, or as lines. */
export function print<Answer>(json: boolean, answer: Answer, linesOf: LinesOf<Answer>): void {
  console.log(json ? JSON.stringify(answer) : linesOf(answer).join('\n'))
}

interface ListQuestion {
  /** Name of the list, as the command and the path have it: `digests`. */
  readonly nouns: string
  /** Arguments of the command: none, or the number of one entry. */
  readonly words: readonly string[]
  readonly asked: Asked
  /** Filters of the list; undefined filters nothing. */
  readonly filter: { readonly [name: string]: string | undefined }
}

const SHOWN = '50'

/** Asks for a list, or for the entry whose number is given, and prints it. Throws a UsageError. Resolves with 0. */
export async function printListOrOne<List, One>(
  { nouns, words: [number, ...more], asked, filter }: ListQuestion,
  listLines: LinesOf<List>,
  lines: LinesOf<One>,
): Promise<number> {
  if (more.length > 0 || (number !== undefined && !/^\d+$/.test(number)))
    throw new UsageError(`${nouns} takes the number of one ${nouns.slice(0, -1)}`)
  const service = serviceOf(asked)
  const path = `/api/admin/${nouns}`
  const query = new URLSearchParams({ limit: SHOWN })
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value)
  if (number === undefined) print(asked.json, await callApi<List>(service, `${path}?${query}`), listLines)
  else print(asked.json, await callApi<One>(service, `${path}/${number}`), lines)
  return 0
}
