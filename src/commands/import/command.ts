import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Document, isMap, isScalar } from 'yaml'
import { ConfigError, valueAt } from '../../config/config-error.ts'
import { loadConfig } from '../../config/load.ts'
import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import { UsageError } from '../command.ts'
import { defineCommand } from '../define-command.ts'
import { translateAlertmanager } from './alertmanager/translate.ts'
import { importHistory } from './history.ts'
import { translatePatterns } from './patterns.ts'
import { translate } from './versus.ts'
import { type Imported, writeFolder } from './written.ts'

export const importFrom = defineCommand({
  name: 'import',
  word: 'DIR|EXPORT',
  summary: 'take over the files of Versus Incident or Alertmanager, or on-call of Opsgenie or PagerDuty',
  about: `Reads the configuration, the templates, the learned patterns and the history of Versus Incident in DIR, and writes those of Tocsin into a
new folder: config.yaml with comments on what changed, templates/ and data/. With --from, the receivers and routes of Alertmanager. References such as \${SLACK_TOKEN} stay as they are. It
prints what has no counterpart, with file and line; it sends nothing, and overwrites nothing.
With --from opsgenie or --from pagerduty it reads an export of schedules, escalations and people, writes oncall.yaml and report.txt, and
compares each minute that the provider rendered. A file of Alertmanager with such a name is --from ./opsgenie.
Exit codes: 0 written, 1 nothing was written, the configuration needs a correction before a start, or a minute differs or could not be
compared, 2 the command line is wrong.`,
  options: {
    from: {
      value: 'FILE',
      description: 'a configuration of Alertmanager, such as alertmanager.yml, instead of DIR; or opsgenie, pagerduty',
    },
    out: { value: 'DIR', description: 'the new folder; default: tocsin in the working directory' },
  },
  async run({ out = 'tocsin', from }, words) {
    const [dir, ...others] = words
    if (from === 'opsgenie' || from === 'pagerduty') {
      if (dir === undefined || others.length > 0)
        throw new UsageError(`--from ${from} needs its export: tocsin import --from ${from} export.json --out DIR`)
      const { importOncall } = await import('./oncall/command.ts')
      return importOncall(from, dir, absent(out))
    }
    if ((dir === undefined) === (from === undefined) || others.length > 0)
      throw new UsageError(
        'tocsin import needs one folder, or a file: tocsin import DIR, tocsin import --from alertmanager.yml',
      )
    if (dir !== undefined && !(existsSync(dir) && statSync(dir).isDirectory()))
      throw new UsageError(`${dir} is not a folder`)
    const target = absent(out)
    const dataDir = join(target, 'data')
    const imported = from === undefined ? translate(dir ?? '', dataDir) : translateAlertmanager(from, dataDir)
    report(
      target,
      imported,
      writeFolder(target, (folder) => write(folder, dir, imported)),
    )
    return checked(join(target, 'config.yaml'))
  },
})

function absent(out: string): string {
  const target = resolve(out)
  if (existsSync(target))
    throw new UsageError(`${target} exists, and nothing is overwritten: choose another with --out`)
  return target
}

/** Numbers of patterns and incidents that were written beside the configuration. */
interface Counts {
  readonly patterns: number
  readonly incidents: number
}

/** Writes all files of the new folder. */
function write(folder: string, dir: string | undefined, imported: Imported): Counts {
  mkdirSync(join(folder, 'templates'))
  for (const [name, source] of imported.templates) copyFileSync(source, join(folder, 'templates', name))
  writeFileSync(join(folder, 'config.yaml'), textOf(imported))
  const patterns = dir === undefined ? 0 : writePatterns(folder, dir, imported)
  return { patterns, ...writeHistory(folder, dir, imported) }
}

/** Returns the parsed file of their data directory; undefined when it is not there. */
function readData(dir: string, name: string): unknown {
  const file = [join(dir, 'data', name), join(dir, name)].find((each) => existsSync(each))
  if (file === undefined) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CodedError('config_invalid', `${file}: cannot be read (${errorText(error)})`)
  }
}

function writeHistory(partial: string, dir: string | undefined, { notes }: Imported): { incidents: number } {
  if (dir === undefined) return { incidents: 0 }
  const stored = readData(dir, 'incidents.json')
  if (stored === undefined) return { incidents: 0 }
  const { count, skipped } = importHistory(join(partial, 'data'), stored)
  if (skipped > 0)
    notes.push({
      where: 'incidents.json',
      path: 'incidents',
      message: `${skipped} have no time or no payload: left out`,
    })
  return { incidents: count }
}

function writePatterns(partial: string, dir: string, { tree }: Imported): number {
  const stored = readData(dir, 'patterns.json')
  if (stored === undefined) return 0
  const { document, count } = translatePatterns(stored, pollSeconds(tree))
  mkdirSync(join(partial, 'data'), { mode: 0o700 })
  writeFileSync(join(partial, 'data/patterns.json'), JSON.stringify(document), { mode: 0o600 })
  return count
}

function pollSeconds(tree: object): number {
  const [, count = '30', unit = 's'] = /^(\d+)(s|m)$/.exec(String(valueAt(tree, ['agent', 'poll_interval']))) ?? []
  return Number(count) * (unit === 'm' ? 60 : 1)
}

/** Returns the configuration as YAML: what has no counterpart at its beginning, comments above keys that changed. */
function textOf({ tree, comments, notes }: Imported): string {
  const document = new Document(tree, { aliasDuplicateObjects: false })
  for (const [path, text] of comments) {
    const parts = path.split('.')
    const map = document.getIn(parts.slice(0, -1), true) ?? document.contents
    const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === parts.at(-1)) : undefined
    if (isScalar(pair?.key)) pair.key.commentBefore = ` ${text}`
  }
  const lines = notes.map(({ where, path, message }) => ` ${where}: ${path}: ${message}`)
  document.commentBefore = [
    ' Written by `tocsin import`.',
    ...(lines.length > 0 ? [' Without a counterpart:'] : []),
    ...lines,
  ].join('\n')
  return document.toString({ lineWidth: 0 })
}

function report(target: string, { notes, templates }: Imported, { patterns, incidents }: Counts): void {
  for (const { where, path, message } of notes) console.log(`${where}: ${path}: ${message}`)
  console.log(
    `written: ${target} (config.yaml, templates: ${templates.size}, patterns: ${patterns}, incidents: ${incidents}); without a counterpart: ${notes.length}`,
  )
}

/** Loads what was written. The environment counts: an enabled channel may lack a variable here that it has there. */
function checked(file: string): number {
  try {
    for (const warning of loadConfig({ file, env: process.env }).warnings) console.log(`warning: ${warning}`)
    console.log(`next: tocsin check --config ${file}, then tocsin serve --config ${file}`)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.log(`to correct before a start:\n${error.message}`)
    return 1
  }
}
