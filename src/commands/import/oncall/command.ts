import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document } from 'yaml'
import { z } from 'zod'
import { ConfigError } from '../../../config/config-error.ts'
import { loadConfig } from '../../../config/load.ts'
import { CodedError } from '../../../domain/errors.ts'
import { errorText } from '../../../text/error-text.ts'
import { visible } from '../../../text/visible.ts'
import { writeFolder } from '../written.ts'
import { translateOpsgenie } from './opsgenie.ts'
import { translatePagerduty } from './pagerduty.ts'
import { proofOf } from './proof.ts'
import type { Readings, Translated } from './translated.ts'

const TRANSLATE = { opsgenie: translateOpsgenie, pagerduty: translatePagerduty }
type Provider = keyof typeof TRANSLATE

/** Stands in for the mail server of the configuration that the file is put into: people are reached by mail. */
const MAIL = { EMAIL_ENABLE: 'true', EMAIL_SMTP_HOST: 'localhost', EMAIL_FROM: 'a@localhost', EMAIL_TO: 'a@localhost' }

/** Never in an export. */
const NOT_READ =
  'not in the export: telephone numbers and apps of people, their notification rules, and what leads an alert to an escalation'

/** Writes `oncall.yaml` and `report.txt` into a new folder. Returns the exit code; throws config_invalid. */
export function importOncall(provider: Provider, file: string, target: string): number {
  const { people, schedules, escalations, notes } = translated(provider, file)
  const proofs = schedules.map((each) => ({ ...each, ...provenOr(each) }))
  const lines = [...proofs.flatMap((each) => each.lines), ...notes, NOT_READ].map(visible)
  const written = proofs.flatMap(({ name, tree }) => (tree === undefined ? [] : [[name, tree]]))
  const oncall = { schedules: Object.fromEntries(written), escalations }
  const document = new Document({ people, oncall }, { aliasDuplicateObjects: false })
  document.commentBefore = ` Written by \`tocsin import --from ${provider}\`; report.txt has the proof. Put both keys into your configuration.`
  writeFolder(target, (folder) => {
    writeFileSync(join(folder, 'oncall.yaml'), document.toString({ lineWidth: 0 }))
    writeFileSync(join(folder, 'report.txt'), `${lines.join('\n')}\n`)
  })
  for (const line of lines) console.log(line)
  const counts = `schedules: ${written.length}, escalations: ${Object.keys(escalations).length}`
  console.log(`written: ${target} (oncall.yaml, report.txt, ${counts}, people: ${Object.keys(people).length})`)
  const isRight = isLoadable(join(target, 'oncall.yaml'))
  return isRight && proofs.length > 0 && proofs.every(({ isProven }) => isProven) ? 0 : 1
}

function isLoadable(file: string): boolean {
  try {
    loadConfig({ file, env: MAIL })
    return true
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.log(`to correct before it is used:\n${error.message}`)
    return false
  }
}

function translated(provider: Provider, file: string): Translated {
  try {
    return TRANSLATE[provider](JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : errorText(error)
    throw new CodedError('config_invalid', `${file}: cannot be read as an export of ${provider} (${reason})`)
  }
}

/** A schedule with more than one may have is left out. */
function provenOr(given: Readings) {
  try {
    return proofOf(given)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    return { tree: undefined, isProven: false, lines: [`${given.name}: left out: ${z.prettifyError(error)}`] }
  }
}
