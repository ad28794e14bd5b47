import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../src/commands/command.ts'
import { defineCommand } from '../../src/commands/define-command.ts'

test('options and arguments reach the command', async () => {
  assert.deepEqual(await setup(['--file', 'a', '--loud', 'one', '--', '--two']), {
    options: { file: 'a', loud: true },
    words: ['one', '--two'],
  })
  assert.deepEqual(await setup([]), { options: { file: undefined, loud: false }, words: [] })
  assert.deepEqual(await setup(['--file=--loud', '-']), { options: { file: '--loud', loud: false }, words: ['-'] })
})

const WRONG: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['--fiel', 'a'], /does not know --fiel; did you mean --file\?/],
  [['--verbose'], /does not know --verbose; see tocsin try --help/],
  [['--file'], /--file needs a value: --file PATH/],
  [['--file', '--loud'], /--file needs a value/],
  [['--loud=yes'], /--loud takes no value/],
  [['-x'], /does not know -x/],
  [['--constructor'], /does not know --constructor/],
]
for (const [args, message] of WRONG) {
  test(`${args.join(' ')} is a usage error with advice`, async () => {
    await assert.rejects(setup(args), (error: Error) => error instanceof UsageError && message.test(error.message))
  })
}

test('a command without arguments refuses one', async () => {
  const command = defineCommand({ ...SPEC, options: {}, run: async () => 0 })
  await assert.rejects(command.run(['one']), /takes no "one"; see tocsin try --help/)
})

test('the help describes every option', () => {
  const { usage } = defineCommand({ ...SPEC, word: 'WORD', options: OPTIONS, run: async () => 0 })
  assert.match(usage, /^tocsin try WORD \[OPTIONS\]\n\nTries\.\n/)
  for (const line of ['  --file PATH  what to try', '  --loud       say more', '  --help       print this text']) {
    assert.ok(usage.includes(line), line)
  }
  assert.ok(usage.split('\n').every((line) => line.length <= 120))
})

const SPEC = { name: 'try', summary: 'try', about: 'Tries.' } as const
const OPTIONS = {
  file: { value: 'PATH', description: 'what to try' },
  loud: { description: 'say more' },
} as const

async function setup(args: readonly string[]) {
  let got: unknown
  const command = defineCommand({
    ...SPEC,
    word: 'WORD',
    options: OPTIONS,
    async run(options, words) {
      got = { options, words }
      return 0
    },
  })
  await command.run(args)
  return got
}
