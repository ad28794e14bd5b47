import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { SourceOptions } from '../../../src/mining/options.ts'
import { createFileSource } from '../../../src/mining/sources/file.ts'
import { folder, LogFollower } from '../setup.ts'

/** A time so late that no file counts as modified recently. */
const LATER = () => Date.now() + 60_000

function following(t: TestContext, options: Partial<SourceOptions['file']> = {}) {
  const path = join(folder(t), 'app.log')
  const all: SourceOptions['file'] = {
    path,
    fromBeginning: true,
    format: 'text',
    messageField: 'message',
    multiline: true,
    eventStart: '',
    ...options,
  }
  const log = new LogFollower(t, () => createFileSource(all, { now: LATER }))
  return { path, log, append: (text: string) => appendFileSync(path, text) }
}

/** Sets a file's modification time: rotated files are ordered by it, and a test writes them within milliseconds. */
const age = (path: string, seconds: number) => utimesSync(path, seconds, seconds)

describe('a log file', () => {
  test('is read from its beginning or from its end, and one that appears later from its beginning', async (t) => {
    const whole = following(t)
    whole.append('one\ntwo\n')
    assert.deepEqual(await whole.log.read(), ['one', 'two'])

    const end = following(t, { fromBeginning: false })
    end.append('old\n')
    assert.deepEqual(await end.log.read(), [])
    end.append('new\n')
    assert.deepEqual(await end.log.read(), ['new'])

    const late = following(t, { fromBeginning: false })
    assert.deepEqual(await late.log.read(), [])
    late.append('first\n')
    assert.deepEqual(await late.log.read(), ['first'])
  })

  test('is read by complete lines: an unterminated line is left for the next read', async (t) => {
    const { log, append } = following(t)
    append('one\ntw')
    assert.deepEqual(await log.read(), ['one'])
    append('o\r\n\nthree\n')
    assert.deepEqual(await log.read(), ['two', 'three'])
  })

  test('is read from its cursor after a restart', async (t) => {
    const { log, append } = following(t)
    append('one\ntwo\n')
    await log.read()
    append('three\n')
    await log.restart()
    assert.deepEqual(await log.read(), ['three'])
  })

  test('that is renamed is read to its end before the new one, in one process and across a restart', async (t) => {
    for (const between of [async () => {}, (log: LogFollower) => log.restart()]) {
      const { path, log, append } = following(t)
      append('one\n')
      await log.read()
      append('two\nunfinished')
      renameSync(path, `${path}.1`)
      writeFileSync(path, 'three\n')
      await between(log)
      assert.deepEqual(await log.read(), ['two', 'unfinished', 'three'])
    }
  })

  test('that is renamed is read further while the new one is empty', async (t) => {
    const { path, log, append } = following(t)
    append('one\n')
    await log.read()
    renameSync(path, `${path}.1`)
    writeFileSync(path, '')
    appendFileSync(`${path}.1`, 'two\n')
    assert.deepEqual(await log.read(), ['two'])
    appendFileSync(`${path}.1`, 'three\n')
    append('four\n')
    assert.deepEqual(await log.read(), ['three', 'four'])
  })

  test('that was rotated several times is read through all its uncompressed files', async (t) => {
    const { path, log, append } = following(t)
    append('one\n')
    await log.read()
    append('two\n')
    age(path, 1_000)
    renameSync(path, `${path}.3`)
    writeFileSync(`${path}.2`, 'three\n')
    age(`${path}.2`, 2_000)
    writeFileSync(`${path}.1`, 'four\n')
    age(`${path}.1`, 3_000)
    writeFileSync(`${path}.4.gz`, 'packed\n')
    writeFileSync(`${path}.audit`, 'another log\n')
    writeFileSync(path, 'five\n')
    await log.restart()
    assert.deepEqual(await log.read(), ['two', 'three', 'four', 'five'])
  })

  test('that was replaced and cannot be found any more yields a note', async (t) => {
    const { path, log, append } = following(t)
    append('a line that was read\n')
    await log.read()
    await log.restart()
    writeFileSync(`${path}.new`, 'another\n')
    rmSync(path)
    renameSync(`${path}.new`, path)
    assert.deepEqual(await log.read(), ['another'])
    assert.match(log.notes.join(), /its last lines cannot be found/)
  })

  test('that is removed is read to its end through the open handle', async (t) => {
    const { path, log, append } = following(t)
    append('one\n')
    await log.read()
    append('two\n')
    rmSync(path)
    assert.deepEqual(await log.read(), ['two'])
    append('three\n')
    assert.deepEqual(await log.read(), ['three'])
  })

  test('that is truncated is read from its beginning, also when it has grown beyond its old size since', async (t) => {
    const { path, log, append } = following(t)
    append('one\ntwo\n')
    await log.read()
    writeFileSync(path, 'x\n')
    assert.deepEqual(await log.read(), ['x'])
    writeFileSync(path, 'a longer line than before\nand another\n')
    assert.deepEqual(await log.read(), ['a longer line than before', 'and another'])
    truncateSync(path, 0)
    assert.deepEqual(await log.read(), [])
    append('after\n')
    assert.deepEqual(await log.read(), ['after'])
  })

  test('that is copied and truncated is not read twice', async (t) => {
    const { path, log, append } = following(t)
    append('one\n')
    await log.read()
    copyFileSync(path, `${path}.1`)
    truncateSync(path, 0)
    append('two\n')
    assert.deepEqual(await log.read(), ['two'])
  })

  test('is read in bounded chunks, and no line is lost or doubled between them', async (t) => {
    const { path, log } = following(t)
    const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n} ${'é'.repeat(n % 90)}`)
    writeFileSync(path, `${lines.join('\n')}\n`)
    assert.deepEqual(await log.read(), lines)
  })

  test('may have very long lines: only their start is read', async (t) => {
    const { path, log } = following(t)
    writeFileSync(path, `before\n${'x'.repeat(5_000_000)}\nafter\n`)
    const [before, long, after] = await log.read()
    assert.deepEqual([before, long?.length, after], ['before', 16_384, 'after'])
  })

  test('of JSON gives the message and the service of each record', async (t) => {
    const { log, append } = following(t, { format: 'json', messageField: 'event.text' })
    append(`${JSON.stringify({ event: { text: 'it failed' }, kubernetes: { labels: { app: 'ledger' } } })}\n`)
    append(`${JSON.stringify({ message: 'another way' })}\nnot json\n${JSON.stringify({ n: 1 })}\n`)
    assert.deepEqual(await log.events(), [
      { text: 'it failed', service: 'ledger' },
      { text: 'another way' },
      { text: 'not json' },
      { text: '{"n":1}' },
    ])
  })

  test('that cannot be read rejects with source_failed', async (t) => {
    const { log } = following(t, { path: folder(t) })
    await assert.rejects(log.read(), { code: 'source_failed', message: /EISDIR/ })
  })
})

describe('lines that belong together', () => {
  const trace = 'ERROR it failed\n  at f (a.js:1)\n\n\tat g (b.js:2)\nCaused by: another\n}\n'
  const joined = 'ERROR it failed\n  at f (a.js:1)\n\tat g (b.js:2)\nCaused by: another\n}'

  test('are one event by their indentation', async (t) => {
    const { log, append } = following(t)
    append(`INFO fine\n${trace}ERROR next\n`)
    assert.deepEqual(await log.read(), ['INFO fine', joined, 'ERROR next'])
  })

  test('are one event up to the next line that matches event_start', async (t) => {
    const { log, append } = following(t, { eventStart: '^\\d{4}-' })
    append('2026-01 one\ngoes on\n2026-02 two\n')
    assert.deepEqual(await log.read(), ['2026-01 one\ngoes on', '2026-02 two'])
  })

  test('stay separate when multiline is off', async (t) => {
    const { log, append } = following(t, { multiline: false })
    append('one\n  two\n')
    assert.deepEqual(await log.read(), ['one', '  two'])
  })

  test('of a private key are one event', async (t) => {
    const { log, append } = following(t)
    const key = 'key: -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----'
    append(`${key}\nnext\n`)
    assert.deepEqual(await log.read(), [key, 'next'])
  })

  test('that are still being written are left for the next read', async (t) => {
    const path = join(folder(t), 'app.log')
    const options = {
      path,
      fromBeginning: true,
      format: 'text',
      messageField: '',
      multiline: true,
      eventStart: '',
    } as const
    let writes = 1
    // The file grows between the source's two looks at its size.
    const now = () => {
      if (writes-- > 0) setTimeout(() => appendFileSync(path, '  at f\n'), 20)
      return Date.now()
    }
    const log = new LogFollower(t, () => createFileSource(options, { now }))
    writeFileSync(path, 'done\nERROR\n')
    const first = await log.read()
    const then = await log.read()
    assert.deepEqual([...first, ...then], ['done', 'ERROR\n  at f'])
  })

  test('are cut to the maximum length when the event does not end, and reading continues after it', async (t) => {
    const { path, log } = following(t)
    writeFileSync(path, `start\n${'  more and more\n'.repeat(200_000)}end\n`)
    const events = await log.read()
    assert.equal(events.at(-1), 'end')
    assert.ok(events.every((event) => event.length <= 16_384))
    assert.ok(events.length > 300)
  })
})
