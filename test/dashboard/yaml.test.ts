import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { asYaml } from '../../static/pages/rehearsal/yaml.ts'

const VALUES: readonly unknown[] = [
  {
    routes: [
      {
        name: 'pay: all',
        match: { service: ['pay*', '!payroll'], 'labels.team': 'no' },
        to: ['chatws'],
        oncall: { enable: false },
      },
      { name: '7', match: { title: '# not a comment' }, to: 'none', continue: true },
    ],
    schedules: { night: [{ cron: '0 22 * * *', for: '8h', time_zone: 'Europe/Berlin' }] },
    noise: { storm: { within: 60, factor: 1.5 } },
  },
  {
    texts: [
      '',
      ' ',
      'null',
      'two\nlines',
      'ein Müller',
      '- a',
      '{',
      '1e3',
      'off',
      'a #b',
      'a: b',
      '~',
      '0x1F',
      '2026-01-01',
    ],
  },
  { nested: [[1, 2], [{ a: [{ b: null }] }]], empty: [], none: {} },
]

for (const value of VALUES) {
  test(`YAML of ${JSON.stringify(value).slice(0, 40)} is read as the same value`, () =>
    assert.deepEqual(parse(asYaml(value)), value))
}
