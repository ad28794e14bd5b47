import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it, test } from 'node:test'
import { promisify } from 'node:util'
import { createLog, type Level, type Log, readable } from '../../src/telemetry/log.ts'
import { openWarnings } from '../../src/telemetry/rate-limit.ts'

function logged(secrets: readonly string[], write: (log: Log) => void, level: Level = 'debug'): string[] {
  const lines: string[] = []
  write(createLog({ level, secrets, name: 'test', write: (line) => lines.push(line) }))
  return lines
}
const first = (lines: readonly string[]): { readonly [key: string]: unknown } => JSON.parse(lines[0] ?? '')

describe('a line of the log', () => {
  it('is one JSON object with level, time, thread, fields and message', () => {
    const [line = ''] = logged([], (log) => log.warn({ channel: 'chatws' }, 'the channel is slow'))
    assert.ok(line.endsWith('}\n'))
    const { time, ...rest } = first([line])
    assert.deepEqual(rest, { level: 'warn', name: 'test', channel: 'chatws', message: 'the channel is slow' })
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })
  it('is left out below the level', () => {
    const lines = logged(
      [],
      (log) => {
        log.debug({}, 'a')
        log.info({}, 'b')
        log.error({}, 'c')
      },
      'warn',
    )
    assert.deepEqual(
      lines.map((line) => first([line]).message),
      ['c'],
    )
  })
  it('keeps message, code and stack of an error', () => {
    const err = Object.assign(new Error('went wrong'), { code: 'storage_down' })
    const line = first(logged([], (log) => log.error({ err }, 'failed')))
    assert.deepEqual([at(line.err, 'message'), at(line.err, 'code')], ['went wrong', 'storage_down'])
    assert.match(String(at(line.err, 'stack')), /log\.test\.ts/)
  })
  it('keeps both names of a misspelt key in one line', () => {
    const [line = ''] = logged([], (log) =>
      log.warn({}, 'c.yaml:1: a: "chanel_id" is not known; did you mean "channel_id"?'),
    )
    assert.ok(line.includes('chanel_id') && line.includes('channel_id'))
  })
})
const at = (value: unknown, key: string) => (value as { readonly [key: string]: unknown })[key]

describe('secrets', () => {
  const SECRET = 'p/ss"w\\rd:ümlaut&more'
  it('of the configuration are taken out of message, fields and errors, in every form', () => {
    const url = `https://host/bot${encodeURIComponent(SECRET)}/send`
    const lines = logged([SECRET], (log) => {
      log.info({ url, text: `it is ${SECRET}`, deep: [{ inner: JSON.stringify({ SECRET }) }] }, `said ${SECRET} aloud`)
      log.error({ err: new Error(`refused: ${SECRET}`) }, 'failed')
      log.info({ url: url.toLowerCase().replace('%c3%bc', '%c3%bc') }, 'lower')
    })
    for (const line of lines) {
      JSON.parse(line)
      assert.doesNotMatch(line, /ümlaut|%C3%BCmlaut|&more/i)
    }
    assert.equal(first(lines).message, 'said *** aloud')
  })
  it('that begin with another secret are masked as a whole', () => {
    const lines = logged(['hush', 'hush-and-more'], (log) => log.info({}, 'x hush-and-more y'))
    assert.equal(first(lines).message, 'x *** y')
  })
  it('of fewer than four characters are left, so that the log stays readable', () => {
    assert.equal(
      first(logged(['', 'a', 'the'], (log) => log.info({}, 'what the log says'))).message,
      'what the log says',
    )
  })
  it('that the configuration does not hold are found by their key', () => {
    const fields = {
      headers: {
        Authorization: 'Bearer hush-1',
        'X-Gateway-Secret': 'hush-2 "quoted" hush-2',
        'x-viber-auth-token': 'hush-3',
      },
      options: [{ password: 'hush-4', api_key: 'hush-5', channel_id: 'C0' }],
      payload: JSON.stringify({ body: JSON.stringify({ token: 'hush-6', kept: 'yes' }) }),
      count_of_tokens: 12,
    }
    const [line = ''] = logged([], (log) => log.info(fields, 'headers'))
    assert.doesNotMatch(line, /hush/)
    const { options, count_of_tokens, payload } = first([line])
    assert.deepEqual(options, [{ password: '***', api_key: '***', channel_id: 'C0' }])
    assert.equal(count_of_tokens, 12)
    assert.match(String(payload), /yes/)
  })
  it('that the configuration does not hold are found in addresses and header lines', () => {
    const said = 'GET https://u:hush@h/run?api-version=1&sig=hush%2Fmore&x=2 with Authorization Bearer hush.token'
    const line = first(logged([], (log) => log.info({}, said)))
    assert.equal(line.message, 'GET https://***@h/run?api-version=1&sig=***&x=2 with Authorization Bearer ***')
  })
})

it('several threads write whole lines and lose none at exit', async () => {
  const fixture = new URL('./fixtures/logs-from-threads.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', fixture], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(lines.length, 5 * 201)
  assert.equal(lines.filter(({ last }) => last).length, 5)
})

it('a terminal gets a line for people', () => {
  const line =
    '{"level":"warn","time":"2026-01-02T03:04:05.678Z","name":"send","channel":"chatws","pending":3,"message":"slow"}\n'
  assert.equal(readable(line), '03:04:05.678 WARN  slow name=send channel=chatws pending=3\n')
})

test('after a burst one line is allowed each period, with the number of those left out', () => {
  let now = 0
  const lines: object[] = []
  const log = { warn: (fields: object) => void lines.push(fields) }
  const warn = openWarnings({ log, clock: { elapsed: () => now } }, { burst: 2, everyMs: 1_000 })
  for (const at of [0, 1, 2, 3, 500, 1_001, 1_002, 5_000]) {
    now = at
    warn({ at }, 'a line')
  }
  assert.deepEqual(lines, [{ at: 0 }, { at: 1 }, { at: 1_001, notLogged: 3 }, { at: 5_000, notLogged: 1 }])
})

test('a log that is changed masks new and old secrets and has the new level', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', secrets: ['old-secret-value'], write: (line) => lines.push(line) })
  log.change({ secrets: ['new-secret-value'] })
  log.debug({}, 'below the level')
  log.change({ level: 'debug' })
  log.debug({ text: 'old-secret-value and new-secret-value' }, 'above the level')
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines[0] ?? '', /old-secret-value|new-secret-value/)
})
