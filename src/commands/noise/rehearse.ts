import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Rehearsal, RehearsalResult } from '../../api/noise/rehearsal.ts'
import { oncallSections, proposedSections } from '../../config/files/proposed.ts'
import { loadConfig } from '../../config/load.ts'
import { requiredDuration } from '../../settings/fields.ts'
import { errorText } from '../../text/error-text.ts'
import { ServiceError, UsageError } from '../command.ts'
import { CONFIG, defineCommand } from '../define-command.ts'
import { progressBar } from '../progress.ts'
import { callApi, SERVICE, serviceOf } from '../service.ts'
import { changeLines, rehearsalLines } from './rehearsal-lines.ts'

const HOUR_MS = 3_600_000
const POLL_MS = 200

export const rehearse = defineCommand({
  name: 'rehearse',
  summary: 'show who would have been notified under another configuration',
  about: `Plays the stored incidents under the configuration in force and under a new one, and shows what differs; nothing is sent. The exit code
is 1 when nobody would be notified of a critical incident that notifies somebody now, and when only a part could be rehearsed. A running service is asked, which takes the sections
routes, schedules, silences and noise of the new file, and no people and oncall; with --data all sections count, and the service may be stopped. The secret is
read from GATEWAY_SECRET or the configuration in force.`,
  options: {
    config: { value: 'FILE', description: 'the new configuration' },
    since: { value: 'TIME', description: 'length of the history, such as 90m or 7d; default: 24h' },
    data: { value: 'DIR', description: 'the data directory whose incidents are played, instead of asking a service' },
    'in-force': {
      value: 'FILE',
      description: CONFIG.description.replace('the configuration', 'the configuration in force'),
    },
    'only-changes': { description: 'print only what differs' },
    allow: { description: 'exit with 0 also when critical incidents would be lost' },
    json: { description: 'print the result as JSON' },
    url: SERVICE.url,
  },
  async run({ config, since = '24h', data, url, 'in-force': inForce, 'only-changes': onlyChanges, allow, json }) {
    if (config === undefined) throw new UsageError('rehearse needs --config FILE, the new configuration')
    if (data !== undefined && url !== undefined) throw new UsageError('--data and --url exclude each other')
    const hours = hoursOf(since)
    const asked = { config, hours, inForce }
    const result = data === undefined ? await inService({ ...asked, url }) : await inDirectory({ ...asked, data })
    const lines = () => (onlyChanges ? changeLines(result) : rehearsalLines(result))
    console.log(json ? JSON.stringify(onlyChanges ? changesOf(result) : result) : lines().join('\n'))
    if (result.history.partial !== null) {
      console.error(`the rehearsal is partial: ${result.history.partial.because}`)
      return 1
    }
    return result.lost_criticals > 0 && !allow ? 1 : 0
  },
})

const changesOf = ({ history, changes, lost_criticals }: RehearsalResult) => ({ history, changes, lost_criticals })

function hoursOf(since: string): number {
  const parsed = requiredDuration(1).safeParse(since)
  if (parsed.success) return parsed.data / HOUR_MS
  throw new UsageError(`--since ${since} ${parsed.error.issues[0]?.message ?? ''}`)
}

interface Asked {
  /** The file with the new configuration. */
  readonly config: string
  readonly hours: number
  /** The file with the one in force; undefined: the usual one. */
  readonly inForce: string | undefined
}

/** Has the running service rehearse, and waits. Rejects with a ServiceError, config_invalid. */
async function inService({ config, hours, inForce, url }: Asked & { readonly url: string | undefined }) {
  const service = serviceOf({ url, config: inForce })
  const text = textOf(config)
  for (const section of oncallSections(text))
    console.error(`warning: ${config}: ${section} is not tried by a service, which plays its own: use --data`)
  const json = { config: proposedSections(text), hours, file: config }
  let rehearsal = await callApi<Rehearsal>(service, '/api/admin/rehearsals', { method: 'POST', json })
  for (const warning of rehearsal.warnings) console.error(`warning: ${warning}`)
  const bar = progressBar(1)
  while (rehearsal.state === 'running') {
    bar.at(rehearsal.progress)
    await pause(POLL_MS)
    rehearsal = await callApi<Rehearsal>(service, `/api/admin/rehearsals/${rehearsal.id}`)
  }
  bar.done()
  if (rehearsal.result !== null) return rehearsal.result
  throw new ServiceError(`the rehearsal failed: ${rehearsal.error}`)
}

/** Rehearses here, on a copy of the database. */
async function inDirectory({ config, hours, inForce, data }: Asked & { readonly data: string }) {
  const before = loadConfig({ file: inForce, env: process.env })
  const after = loadConfig({ file: config, env: process.env })
  for (const warning of after.warnings) console.error(`warning: ${warning}`)
  const bar = progressBar(1)
  const { rehearseDirectory } = await import('../../../actors/rehearsal/directory.ts')
  try {
    return await rehearseDirectory({
      dataDir: data,
      inForce: before.config,
      proposed: after.config,
      hours,
      now: Date.now(),
      progress: bar.at,
    })
  } finally {
    bar.done()
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorText(error)}`)
  }
}
