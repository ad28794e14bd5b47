import { globSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Files of the fast ring by group. One process runs a group: to start one for each file takes longer than most files do. */
const GROUPS = {
  actors: ['actors/**/*'],
  engine: ['store/engine/**/*'],
  http: ['http/**/*', 'topic/**/*', 'tail/**/*'],
  journal: ['journal/**/*', 'validate/**/*'],
  kernel: ['kernel/**/*', 'async/**/*'],
  noise: ['store/noise/*', 'store/noise/!(silences)/**/*'],
  outbox: ['store/{outbox,pages,problems,search,telling,tellings}/**/*'],
  pool: ['render/pool/**/*'],
  pure: ['{config,deploy,domain,files,intake,mining,policy,telemetry,text}/**/*'],
  render: ['render/!(pool)/**/*'],
  silences: ['store/noise/silences/**/*'],
  store: ['store/*', 'store/!(noise|engine|outbox|pages|problems|search|telling|tellings)/**/*'],
  whole: ['*', '{commands,dashboard,docs}/**/*'],
} as const
/** Folders that scripts of package.json name. */
const OTHER_RINGS =
  '{alertmanager,bench,chart,cluster,e2e,faults,groups,image,noise,postgres,security,slow,system}/**/*'

/**
 * Files that are left out on PostgreSQL: their statements are those of files that stay, and what a store decides does not
 * depend on the engine. Random histories, crashes and new files run on both.
 */
const ON_SQLITE_ALONE = [
  'store/pings',
  'store/answers/{few-copies,silence,token}',
  'store/brief/similar',
  'store/journal/{quarantined-keys,turn}',
  'store/noise/{digest-singles,report,storm-oncall}',
  'store/noise/flapping/{telling,trial}',
  'store/noise/groups/life',
  'store/noise/repeats/*',
  'store/noise/silences/{complaints,equal,of-problem,over,overlap,silences,while}',
  'store/oncall/{idle,schedules}',
  'store/outbox/{brief-reply,notices}',
  'store/pages/{beside,open-pages,pages}',
  'store/problems/named',
]

/** Runs the tests of a group; `rest` has all that no other has. */
export async function testGroup(group: keyof typeof GROUPS | 'rest'): Promise<void> {
  const files = group === 'rest' ? rest() : filesOf(GROUPS[group])
  const leftOut = new Set(process.env.TOCSIN_TEST_POSTGRES === undefined ? [] : filesOf(ON_SQLITE_ALONE))
  for (const file of files) if (!leftOut.has(file)) await import(join(ROOT, file))
}

function rest(): string[] {
  const others = new Set(filesOf([...Object.values(GROUPS).flat(), OTHER_RINGS]))
  return filesOf(['**/*']).filter((file) => !others.has(file))
}

const filesOf = (patterns: readonly string[]) =>
  patterns
    .flatMap((pattern) => globSync(`${pattern}.test.ts`, { cwd: ROOT }).sort())
    .filter((file) => !file.endsWith('.slow.test.ts'))
