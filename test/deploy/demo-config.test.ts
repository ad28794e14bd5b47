import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'

const DEMO = join(import.meta.dirname, '../../deploy/compose/demo.yaml')
const FIRST_PORT = 4100

test('the demo of compose is a configuration without faults or warnings', () => {
  assert.deepEqual(loadConfig({ file: DEMO, env: {} }).warnings, [])
})

test('the demo sends each channel to the port where its stand-in listens', () => {
  const { alert } = parse(readFileSync(DEMO, 'utf8')) as { alert: { [channel: string]: object } }
  const ports = Object.values(alert).map((options) => Number(/41\d\d/.exec(JSON.stringify(options))?.[0]))
  assert.deepEqual(
    ports,
    ports.map((_, at) => FIRST_PORT + at),
  )
  assert.deepEqual(Object.keys(alert), ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email', 'ntfy'])
})
