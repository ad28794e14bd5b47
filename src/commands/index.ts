import { check } from './check.ts'
import type { Command } from './command.ts'
import { demo } from './demo/demo.ts'
import { importFrom } from './import/command.ts'
import { mcp } from './mcp.ts'
import { migrate } from './migrate/command.ts'
import { mine } from './mine.ts'
import { answers } from './noise/answers.ts'
import { brief, note } from './noise/brief.ts'
import { digests } from './noise/digests.ts'
import { explain } from './noise/explain.ts'
import { heartbeats } from './noise/heartbeats.ts'
import { problems } from './noise/problems.ts'
import { rehearse } from './noise/rehearse.ts'
import { report } from './noise/report.ts'
import { routes } from './noise/routes.ts'
import { silence } from './noise/silence.ts'
import { oncall } from './oncall/command.ts'
import { render } from './render.ts'
import { replay } from './replay.ts'
import { serve } from './serve.ts'
import { simulate } from './simulate.ts'
import { tail } from './tail.ts'

/** Every command by its name. */
export const COMMANDS: { readonly [name: string]: Command } = {
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
  brief,
  note,
  answers,
  oncall,
  mine,
  mcp,
  import: importFrom,
  migrate,
  simulate,
  demo,
}
