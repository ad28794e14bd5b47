import { runCommand } from './commands/run-command.ts'
import { serve } from './commands/serve.ts'

/** Runs the service, for `start.js`. `cli.ts` has the other commands. */
const code = await runCommand(serve, process.argv.slice(2))
if (code !== 0) process.exit(code)
