import { runCommand } from './commands/run-command.ts'
import { serve } from './commands/serve.ts'

/** `npm start -- --config FILE`: the service alone. Other commands are in `cli.ts`. */
const code = await runCommand(serve, process.argv.slice(2))
if (code !== 0) process.exit(code)
