import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../src/commands/command.ts'
import { defineCommand } from '../../src/commands/define-command.ts'
import { eventLine, type Paint } from '../../src/commands/event-line.ts'
import type { TailEvent } from '../../src/domain/event.ts'
import { AT, delivery, incident, OTHERS } from '../tail/setup.ts'

const plain: Paint = (_, text) => text

const LINES: readonly (readonly [event: TailEvent, says: RegExp])[] = [
  [incident('Disk full'), /incident +critical +firing +Disk full +ledger custom 018f/],
  [delivery('Disk full'), /delivery +critical +sent +chatws +Disk full +12 ms 018f/],
  [delivery('Disk full', { target: 'payments' }), /sent +chatws:payments +Disk full/],
  [delivery('Disk full', { attempt: 3 }), /12 ms, attempt 3/],
  [
    delivery('Disk full', { state: 'pending', attempt: 2, detail: 'HTTP 503', next_attempt_at: AT }),
    /pending +chatws +Disk full +attempt 2: HTTP 503; again at \d\d:\d\d:\d\d/,
  ],
  [delivery('Disk full', { state: 'dead', detail: 'no such channel' }), /dead +chatws +Disk full +attempt 1: no such/],
  [
    { ...OTHERS.oncall, action: 'acknowledged', by: 'kim', detail: '' } as TailEvent,
    /oncall +critical +acknowledged +Disk full +by kim i$/,
  ],
  [OTHERS.agent, /agent +spike +cannot write +p1$/],
  [OTHERS.digest, /digest +updated +chatws:payments +digest 17 +update 2, edit: 60 of 90 incidents notified$/],
  [
    { kind: 'stats', at: AT, stats: { ingest: { accepted_per_s: 12.5 }, attention: { dead: 3 }, later: {} } },
    /stats +accepted\/s 12.5 +dead 3$/,
  ],
]
for (const [event, says] of LINES) {
  test(`an event is one line: ${says.source}`, () => assert.match(eventLine(event, plain), says))
}

test('what others wrote cannot move the cursor, colour the line or turn it around', () => {
  const hostile = '\u001b[2J\u009b31m\u202eevil\r\nsecond line\u2028third'
  const line = eventLine(delivery(hostile, { detail: hostile, state: 'dead' }), plain)
  assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
  assert.match(line, /evil/)
})

test('severity and state are painted, each once', () => {
  const styles: string[] = []
  eventLine(delivery('x', { state: 'dead' }), (style, text) => {
    styles.push(String(style))
    return text
  })
  assert.equal(styles.filter((style) => style === 'bold,red').length, 2)
})

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
