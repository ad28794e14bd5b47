import { check } from './commands/check.ts'
import type { Command } from './commands/command.ts'
import { unknownOption } from './commands/define-command.ts'
import { demo } from './commands/demo.ts'
import { importFrom } from './commands/import/command.ts'
import { migrate } from './commands/migrate/command.ts'
import { mine } from './commands/mine.ts'
import { digests } from './commands/noise/digests.ts'
import { explain } from './commands/noise/explain.ts'
import { heartbeats } from './commands/noise/heartbeats.ts'
import { problems } from './commands/noise/problems.ts'
import { rehearse } from './commands/noise/rehearse.ts'
import { report } from './commands/noise/report.ts'
import { routes } from './commands/noise/routes.ts'
import { silence } from './commands/noise/silence.ts'
import { render } from './commands/render.ts'
import { replay } from './commands/replay.ts'
import { runCommand } from './commands/run-command.ts'
import { serve } from './commands/serve.ts'
import { simulate } from './commands/simulate.ts'
import { tail } from './commands/tail.ts'

const COMMANDS: { readonly [name: string]: Command } = {
  serve,
  check,
  render,
  tail,
  replay,
  report,
  explain,
  routes,
  rehearse,
  digests,
  silence,
  heartbeats,
  problems,
  mine,
  import: importFrom,
  migrate,
  simulate,
  demo,
}

const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2

const overview = `tocsin COMMAND [OPTIONS]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`)
  .join('\n')}

tocsin COMMAND --help lists the options of a command. Without a command: serve.
Exit codes: 0 done, 1 errors were found or the command failed, 2 the command line is wrong.`

const given = process.argv.slice(2)
const isHelp = ['--help', '-h', 'help'].includes(given[0] ?? '')
const [name = 'serve', ...args] = given[0]?.startsWith('-') && !isHelp ? ['serve', ...given] : given
if (isHelp) {
  console.log(overview)
} else {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) console.error(unknownOption('tocsin', name, Object.keys(COMMANDS)).message)
  const code = command ? await runCommand(command, args) : 2
  if (code !== 0 || command !== serve) process.exit(code)
}
