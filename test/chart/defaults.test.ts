import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { chartReadme, README } from '../../deploy/chart-readme.ts'
import { CHART, helm } from '../../deploy/helm.ts'
import { FILE, manifests } from '../../deploy/manifests.ts'
import { CHANNEL_NAMES } from '../../src/domain/delivery/delivery.ts'
import { Rendered } from './support.ts'

type Tree = { readonly [key: string]: Tree } & { readonly [key: string]: unknown }

const values: Tree = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
const chart: Tree = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))

test('helm lint finds no fault', () => {
  const { status, stdout } = helm(['lint', '--strict', CHART])
  assert.equal(status, 0, stdout)
})

test('the chart is 1.4.0 and of the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(CHART, '../../../package.json'), 'utf8')) as { version: string }
  assert.deepEqual([chart.version, chart.appVersion], ['1.4.0', version])
})

test('the defaults are those of the contract', () => {
  assert.equal(values.gatewaySecret, '')
  assert.equal(values.storage?.type, 'file')
  assert.equal(values.storage?.file?.maxIncidents, 1000)
  assert.equal(typeof values.storage?.file?.dataDir, 'string')
  const { enabled, size, accessMode, existingClaim } = values.storage?.persistence ?? {}
  assert.deepEqual([enabled, size, accessMode, existingClaim], [false, '1Gi', 'ReadWriteOnce', ''])
  const { enable, pollInterval, newServiceGrace, sources } = values.agent ?? {}
  assert.deepEqual([enable, pollInterval, newServiceGrace, sources], [false, '30s', '30m', []])
  const { maxCallsPerHour, cacheTtl } = values.agent?.ai ?? {}
  assert.deepEqual([values.agent?.ai?.enable, maxCallsPerHour, cacheTtl], [false, 60, '1h'])
})

test('there are values for every channel', () => {
  const { debugBody: _, ...channels } = values.alert ?? {}
  assert.deepEqual(Object.keys(channels).sort(), [...CHANNEL_NAMES].sort())
})

test('with the defaults there is one replica without a volume, a secret or a token', () => {
  const rendered = new Rendered()
  assert.deepEqual(rendered.manifests.map(({ kind }) => kind).sort(), [
    'ConfigMap',
    'Deployment',
    'Service',
    'ServiceAccount',
  ])
  assert.equal(rendered.one('Deployment').spec.replicas, 1)
  assert.equal(rendered.pod.spec.automountServiceAccountToken, false)
  assert.deepEqual(rendered.pod.spec.volumes.find(({ name }) => name === 'data')?.emptyDir, {})
})

test('the pod runs without privileges, on a root file system it cannot write', () => {
  const { pod, container } = new Rendered()
  assert.equal(pod.spec.securityContext.runAsNonRoot, true)
  assert.deepEqual(pod.spec.securityContext.seccompProfile, { type: 'RuntimeDefault' })
  assert.equal(container.securityContext.readOnlyRootFilesystem, true)
  assert.equal(container.securityContext.allowPrivilegeEscalation, false)
  assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
  assert.ok(pod.spec.terminationGracePeriodSeconds > 8, 'longer than the drain')
})

test("the chart's README is written from the values", () => {
  assert.equal(readFileSync(README, 'utf8'), chartReadme(), 'npm run docs:chart writes it anew')
})

test('the plain manifests are what the chart renders', () => {
  assert.equal(readFileSync(FILE, 'utf8'), manifests(), 'npm run manifests renders them anew')
})
