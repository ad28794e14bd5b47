import { styleText } from 'node:util'
import { CHANNEL_NAMES } from '../domain/delivery/delivery.ts'
import { CodedError } from '../domain/errors.ts'
import { EVENT_KINDS } from '../domain/event.ts'
import { filterOf } from '../domain/filter-query.ts'
import { visibleJson } from '../text/visible.ts'
import { UsageError } from './command.ts'
import { defineCommand } from './define-command.ts'
import { eventLine, type Paint } from './event-line.ts'
import { follow, type TailListener } from './follow.ts'
import { SERVICE, serviceOf } from './service.ts'

const USUAL_KINDS = EVENT_KINDS.filter((kind) => kind !== 'stats').join(',')

export const tail = defineCommand({
  name: 'tail',
  summary: 'show what happens in a running service, as it happens',
  about: `Follows the live tail of a service: one line for each incident, each delivery attempt, each update of a digest, and each step of
the on-call workflow and the agent. After a break of the connection it continues where it was, and says how many events were missed. The secret is read from
GATEWAY_SECRET or the configuration. A terminal gets colours, unless NO_COLOR is set. Ctrl-C ends it with exit code 0.`,
  options: {
    kind: {
      value: 'KINDS',
      description: `one or more of ${EVENT_KINDS.join(', ')}, separated by commas; default ${USUAL_KINDS}`,
    },
    channel: {
      value: 'NAMES',
      description: `only deliveries and digests of these channels; one or more of ${CHANNEL_NAMES.join(', ')}`,
    },
    severity: { value: 'WORDS', description: 'only these severities, as the senders write them: critical,high' },
    q: { value: 'TEXT', description: 'only events that hold this text' },
    json: { description: 'print events as JSON' },
    ...SERVICE,
  },
  async run(parsedArguments) {
    const filterQuery = filterQueryOf(parsedArguments)
    const service = serviceOf(parsedArguments)
    const ending = new AbortController()
    const end = () => ending.abort()
    process.once('SIGINT', end).once('SIGTERM', end)
    // The reader of standard output has gone, as `head` does.
    process.stdout.once('error', end)
    await follow(service, { filterQuery, signal: ending.signal }, watcher(parsedArguments.json))
    return 0
  },
})

type TailOptions = { readonly [name in 'kind' | 'channel' | 'severity' | 'q']: string | undefined }

function filterQueryOf({ kind = USUAL_KINDS, channel, severity, q }: TailOptions): URLSearchParams {
  const filterQuery = { kinds: kind, channel, severity, q }
  try {
    filterOf(filterQuery)
  } catch (error) {
    throw error instanceof CodedError ? new UsageError(error.message) : error
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filterQuery)) if (value !== undefined) query.set(name, value)
  return query
}

function watcher(json: boolean): TailListener {
  const coloured = process.stdout.isTTY && process.stdout.hasColors()
  const paint: Paint = (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text)
  let isDown = false
  return {
    event: (event, line) => console.log(json ? visibleJson(line) : eventLine(event, paint)),
    gap: (count) =>
      console.error(count === undefined ? 'an unknown number of events was missed' : `${count} events were missed`),
    down(reason, againInMs) {
      isDown = true
      console.error(`${reason}; trying again in ${(againInMs / 1_000).toFixed(1)} s`)
    },
    up() {
      if (isDown) console.error('connected again')
      isDown = false
    },
  }
}
