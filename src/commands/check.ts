import { CHANNELS } from '../channels/index.ts'
import { adviceOn, catalogWarnings } from '../config/checks/advice.ts'
import type { Config } from '../config/complete.ts'
import { ConfigError, line } from '../config/config-error.ts'
import { loadConfig } from '../config/load.ts'
import { recognise } from '../intake/recognise.ts'
import { routeTemplates } from '../policy/route.ts'
import { RenderPool } from '../render/pool/pool.ts'
import { agentWarnings, environmentWarnings, sampleWarnings } from '../render/templates/check-warnings.ts'
import { allowedEnvironment, loadTemplates } from '../render/templates/load.ts'
import { CONFIG, defineCommand } from './define-command.ts'

export const check = defineCommand({
  name: 'check',
  summary: 'look for errors in the configuration and the templates',
  about: `Loads the configuration, compiles the templates of every enabled channel and of every rule, and renders it with samples of every sender.
Prints one line for each error (exit code 1), and each warning and piece of advice (exit code 0). With \`oncall.schedules\` it looks for gaps in the next 400 days. It sends and writes nothing.`,
  options: { config: CONFIG },
  async run({ config: file }) {
    const { config, warnings } = loadConfig({ file, env: process.env })
    for (const warning of warnings) console.log(`warning: ${warning}`)
    for (const warning of catalogWarnings(config)) console.log(`warning: ${warning}`)
    for (const advice of adviceOn(config)) console.log(`advice: ${advice}`)
    await checkSchedules(config)
    const channels = Object.values(config.alert.channels).filter(({ enable }) => enable)
    const { threads, deadlineMs, envAllow } = config.templates
    const env = allowedEnvironment(envAllow, process.env)
    const pool = new RenderPool({ templates: [], threads, deadlineMs, env, publicHost: config.publicHost })
    try {
      const specs = [
        ...channels.map(({ name, templatePath }) => ({ channel: name, path: templatePath })),
        ...routeTemplates(config.routes).map((each) => ({ ...each, only: 'route' as const })),
        ...channels
          .filter(({ agentTemplatePath }) => agentTemplatePath !== '')
          .map(({ name, agentTemplatePath: path }) => ({ channel: name, path, only: 'agent' as const })),
      ]
      const templates = await loadTemplates(
        specs.map((spec) => ({ ...spec, rules: CHANNELS[spec.channel].text })),
        (template) => pool.use(template),
      )
      for (const warning of environmentWarnings(templates, envAllow)) console.log(`warning: ${warning}`)
      for await (const warning of sampleWarnings(pool, recognise)) console.log(`warning: ${warning}`)
      if (config.agent.enable)
        for await (const warning of agentWarnings(pool, recognise)) console.log(`warning: ${warning}`)
      if (config.agent.enable && config.agent.ai.enable && config.agent.ai.backend === 'openai')
        console.log(
          `the log agent sends what it finds, redacted, to ${config.agent.ai.model} at ${config.agent.ai.url}`,
        )
      console.log(`the configuration has no errors; templates checked: ${templates.length}`)
    } finally {
      await pool.close()
    }
    return 0
  },
})

/** Throws one `ConfigError` for gaps and wrong edges. The library of time zones is loaded only where there are schedules. */
async function checkSchedules(config: Config): Promise<void> {
  if (config.oncallSchedules.size === 0) return
  const { coverage } = await import('../config/checks/coverage.ts')
  const { errors, warnings } = coverage(config, Date.now())
  for (const warning of warnings) console.log(`warning: ${line(warning)}`)
  if (errors.length > 0) throw new ConfigError(errors)
}
