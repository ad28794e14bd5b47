import { unknownOption } from './commands/define-command.ts'
import { COMMANDS } from './commands/index.ts'
import { runCommand } from './commands/run-command.ts'
import { serve } from './commands/serve.ts'

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
