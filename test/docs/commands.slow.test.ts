import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { COMMANDS } from '../../src/commands/index.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { BLOCKS, type Block, where } from './pages.ts'

const shell = async (script: string) => (await promisify(execFile)('sh', ['-c', script])).stdout

/** Commands that are not run, and why: those of Tocsin are checked against their help, and all against the shell's grammar. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^(cd|export) /, 'holds a placeholder'],
  [/^aws /, 'needs an account'],
  [
    /^(docker|helm) /,
    'needs Docker or a cluster; the names that they use are checked, test/image and test/chart do the rest',
  ],
  [/^(mkdir|tar) /, 'unpacks the archive, which test/image does'],
  [/^sed /, 'needs the files of the reader'],
  [/^node .*test\/(faults|channels)\//, 'tests of their own'],
  [/^\/usr\/local\/bin\/backup /, 'test/docs/senders.slow.test.ts runs it'],
  [/\/ping\/PING_KEY\/|^runitor /, 'needs a heartbeat; test/system/doors/pings.test.ts sends pings'],
  [/^amtool /, 'test/alertmanager/amtool.test.ts runs it'],
  [/^tocsin (brief|note) 12/, 'needs a problem; test/system/noise/brief.test.ts runs them'],
  [/^echo /, 'follows a command that is not run'],
  [/^(git clone .*|npm (ci|test|start))$/, 'how this test was started'],
  [/^tocsin (serve|demo)\b/, 'runs on'],
  [
    /^tocsin (check|import|mine|oncall|rehearse|render) /,
    'needs a file of the reader; test/commands and test/system run it',
  ],
  [/^tocsin migrate /, 'needs PostgreSQL; test/postgres runs it'],
  [/^psql /, 'needs a server of PostgreSQL'],
  [/^tocsin (explain \w|silence (extend|end) )/, 'needs an id of the reader'],
  [/^tocsin silence add --problem /, 'needs a problem of the reader'],
  [/^tocsin silence add .* --until /, 'its end passes some day'],
]

/** Commands of a block of input, or the lines of a block of output that begin with a prompt. */
function commandsOf({ language, text }: Block): string[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n')
  const typed = language === 'sh' ? lines : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
  return typed
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(' && '))
    .map((line) =>
      line
        .trim()
        .replace(/ &$/, '')
        .replace(/^([A-Z_]+=\S*\s+)+|^\/opt\/tocsin\/(?=tocsin )/, ''),
    )
    .map((line) => line.replace(/^npm run demo( --(?= ))?/, 'tocsin demo'))
    .filter((line) => line !== '')
}

test('every command of the documentation is run, or has the options of its program', async (t) => {
  const chat = await startProvider('chatws')
  t.after(() => chat.close())
  const chatws = { enable: true, token: 'xoxb', channel_id: 'C1', api_url: chat.url, ...FAST }
  const { url } = await startTestSystem(t, configFile(folder(), { alert: { chatws }, brief: { enable: true } }))
  process.env.GATEWAY_SECRET = process.env.INTAKE_TOKEN = SECRET
  t.after(() => {
    delete process.env.GATEWAY_SECRET
    delete process.env.INTAKE_TOKEN
  })
  t.mock.method(console, 'log', () => {})

  async function tocsin(line: string, runs: boolean): Promise<void> {
    const [, name = '', ...words] = (await shell(`printf '%s\n' ${line}`)).split('\n').slice(0, -1)
    const command = COMMANDS[name]
    const options = words.filter((word) => word.startsWith('--'))
    assert.deepEqual(
      [command !== undefined, options.filter((each) => !command?.usage.includes(each))],
      [true, []],
      line,
    )
    if (runs) assert.equal(await command?.run([...words, '--url', url]), 0, line)
  }
  const used = new Set<RegExp>()
  for (const block of BLOCKS.filter(({ language }) => language === 'sh' || language === '')) {
    if (block.language === 'sh') await shell(`sh -n <<'END'\n${block.text}\nEND`)
    for (const line of commandsOf(block)) {
      const [left] = NOT_RUN.find(([command]) => command.test(line)) ?? []
      if (left) used.add(left)
      if (line.startsWith('tocsin ')) await tocsin(line, left === undefined)
      else if (left === undefined)
        assert.match(line, /^curl /, `${where(block)}: ${line}: run it, or say why it is not run`)
      if (left === undefined && line.startsWith('curl '))
        await shell(line.replace('localhost:3000', url).replace('curl', 'curl --fail --silent'))
    }
  }
  assert.deepEqual(
    NOT_RUN.filter(([command]) => !used.has(command)),
    [],
    'exceptions without a use',
  )
})
