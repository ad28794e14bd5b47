import { globSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Files by group. One process runs a group: to start one for each file takes longer than most files do. */
const GROUPS = {
  // The fast ring.
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
  // `npm run test:system`, in `slow/`.
  bench: ['bench/**/*'],
  doors: ['system/{answers,doors,mcp}/**/*'],
  moves: ['system/{import,migration,outbound,start}/**/*'],
  oncall: ['system/oncall', 'system/{oncall,promises}/**/*'],
  security: ['security/**/*'],
  service: [
    'system/!(oncall)',
    'system/!(answers|doors|import|mcp|migration|noise|oncall|outbound|promises|start)/**/*',
  ],
  storms: ['noise/**/*'],
  telling: ['system/noise/**/*'],
  units: ['slow/**/*', '**/*.slow'],
  // `npm run test:postgres`, in `postgres/`.
  postgresJournal: ['postgres/journal/**/*'],
  postgresService: ['postgres/*'],
  postgresStore: ['postgres/store/**/*'],
  // `npm run test:cluster`, in `cluster/`.
  campaign: ['cluster/campaign'],
  changes: ['cluster/{drain,failover,lost-commits,membership,migrate,start,versions}'],
  replicas: ['cluster/!(campaign|drain|failover|lost-commits|membership|migrate|start|versions)'],
} as const
/** Folders whose files have a process of their own. */
const ALONE = '{alertmanager,chart,e2e,faults,groups,image}/**/*'

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
  'store/oncall/schedules',
  'store/outbox/{brief-reply,notices}',
  'store/pages/{beside,open-pages,pages}',
  'store/problems/named',
]

/** Runs the tests of a group; `rest` has all that no other has, in the fast ring. */
export async function testGroup(group: keyof typeof GROUPS | 'rest'): Promise<void> {
  const files = group === 'rest' ? rest() : filesOf(GROUPS[group])
  const leftOut = new Set(process.env.TOCSIN_TEST_POSTGRES === undefined ? [] : filesOf(ON_SQLITE_ALONE))
  for (const file of files) if (!leftOut.has(file)) await import(join(ROOT, file))
}

function rest(): string[] {
  const others = new Set(filesOf([...Object.values(GROUPS).flat(), ALONE]))
  return filesOf(['**/*']).filter((file) => !others.has(file))
}

const filesOf = (patterns: readonly string[]) => patterns.flatMap(matching)

function matching(pattern: string): string[] {
  const files = globSync(`${pattern}.test.ts`, { cwd: ROOT }).sort()
  return pattern.endsWith('.slow') ? files : files.filter((file) => !file.endsWith('.slow.test.ts'))
}
