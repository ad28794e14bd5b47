import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { importFrom } from '../../../src/commands/import/command.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { folder } from '../../harness/config-file.ts'

/** Imports a configuration of Alertmanager; `/etc/hidden` in it becomes a file with a token. */
export async function imported(t: TestContext, text: string) {
  const dir = folder()
  const from = join(dir, 'alertmanager.yml')
  writeFileSync(from, text.replace('/etc/hidden', join(dir, 'token')))
  writeFileSync(join(dir, 'token'), '1:token-of-the-test\n')
  const printed: string[] = []
  const log = t.mock.method(console, 'log', (line: string) => printed.push(line))
  const error = t.mock.method(console, 'error', (line: string) => printed.push(line))
  const out = join(dir, 'new')
  const code = await runCommand(importFrom, ['--from', from, '--out', out])
  log.mock.restore()
  error.mock.restore()
  return { code, out, from, file: join(out, 'config.yaml'), report: printed.join('\n') }
}
