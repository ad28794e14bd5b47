import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { CHART, helm } from '../../deploy/helm.ts'
import { Rendered } from './support.ts'

const persistent = { storage: { persistence: { enabled: true, size: '5Gi' } } }
const CREDENTIALS = {
  gatewaySecret: 'plain-gateway',
  http: { intakeToken: 'plain-intake' },
  alert: {
    chatws: { token: 'plain-chatws' },
    msgapp: { token: 'plain-msgapp' },
    messenger: { token: 'plain-messenger' },
    officechat: { flowUrl: 'http://plain-flow', otherFlowUrls: { qc: 'http://plain-flow-qc' } },
    workchat: { token: 'plain-workchat', webhookUrl: 'http://plain-hook', secret: 'plain-sign' },
    ntfy: { topic: 'plain-topic', token: 'plain-ntfy' },
    email: { password: 'plain-smtp' },
  },
  topicsvc: { accessKeyId: 'plain-key', secretAccessKey: 'plain-secret' },
  oncall: {
    webhook: { url: 'http://plain-page', secret: 'plain-page-secret' },
    pagerduty: { routingKey: 'plain-routing', otherRoutingKeys: { dba: 'plain-routing-dba' } },
    incidentIo: { apiKey: 'plain-incident' },
    awsIncidentManager: { accessKeyId: 'plain-aws-id', secretAccessKey: 'plain-aws-secret' },
    servicenow: { password: 'plain-now', token: 'plain-token' },
  },
  agent: { ai: { apiKey: 'plain-model' } },
}

test('credentials are in the Secret alone, and the pod reads them as variables', () => {
  const rendered = new Rendered(CREDENTIALS)
  const given = JSON.stringify(CREDENTIALS).match(/(?:http:\/\/)?plain-[\w-]+/g) ?? []
  assert.deepEqual(Object.values(rendered.credentials).sort(), [...given].sort())
  const elsewhere = JSON.stringify(rendered.manifests.filter(({ kind }) => kind !== 'Secret'))
  assert.doesNotMatch(elsewhere, /plain-/)
  assert.deepEqual(rendered.container.envFrom, [{ secretRef: { name: rendered.one('Secret').metadata.name } }])
})

test('an existing Secret is read instead of one of ours', () => {
  const rendered = new Rendered({ existingSecret: 'mine' })
  assert.equal(rendered.all('Secret').length, 0)
  assert.deepEqual(rendered.container.envFrom, [{ secretRef: { name: 'mine' } }])
})

test('a change of configuration, templates or credentials starts the pod anew', () => {
  const annotations = (values: object) => new Rendered(values).pod.metadata.annotations
  const base = annotations({ gatewaySecret: 'a' })
  assert.notEqual(
    annotations({ gatewaySecret: 'a', log: { level: 'debug' } })['checksum/config'],
    base['checksum/config'],
  )
  assert.notEqual(annotations({ gatewaySecret: 'b' })['checksum/secret'], base['checksum/secret'])
  const edited = annotations({ gatewaySecret: 'a', templates: { files: { 'chatws.tmpl': 'x' } } })
  assert.notEqual(edited['checksum/templates'], base['checksum/templates'])
})

test('the volume keeps the data of one replica, and the old pod ends before the new one begins', () => {
  const rendered = new Rendered(persistent)
  const claim = rendered.one('PersistentVolumeClaim')
  assert.deepEqual([claim.spec.accessModes, claim.spec.resources?.requests.storage], [['ReadWriteOnce'], '5Gi'])
  const volume = rendered.pod.spec.volumes.find(({ name }) => name === 'data')
  assert.equal(volume?.persistentVolumeClaim?.claimName, claim.metadata.name)
  assert.equal(rendered.one('Deployment').spec.strategy?.type, 'Recreate')
  assert.equal(new Rendered({ agent: { enable: true } }).one('Deployment').spec.strategy?.type, 'Recreate')
  assert.equal(new Rendered().one('Deployment').spec.strategy?.type, 'RollingUpdate')
})

test('an existing claim is used and none is made', () => {
  const rendered = new Rendered({ storage: { persistence: { enabled: true, existingClaim: 'mine' } } })
  assert.equal(rendered.all('PersistentVolumeClaim').length, 0)
  const volume = rendered.pod.spec.volumes.find(({ name }) => name === 'data')
  assert.equal(volume?.persistentVolumeClaim?.claimName, 'mine')
})

test('replicas on a database keep no volume, know their address, spread, and are replaced one after another', () => {
  const rendered = new Rendered({
    replicaCount: 3,
    storage: { type: 'postgres', postgres: { url: 'postgres://u:hunter2@db/t' } },
    networkPolicy: { enabled: true, ingressFrom: [{ namespaceSelector: {} }] },
  })
  const { replicas, strategy, template } = rendered.one('Deployment').spec
  assert.equal(replicas, 3)
  assert.deepEqual(strategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
  assert.ok(template.spec.volumes.every((volume) => volume.persistentVolumeClaim === undefined))
  assert.ok(['POD_NAME', 'POD_IP'].every((name) => rendered.container.env.some((each) => each.name === name)))
  assert.deepEqual(rendered.config.replica, { name: '$' + '{POD_NAME}', address: 'http://$' + '{POD_IP}:3000' })
  assert.equal(rendered.one('Secret').stringData?.STORAGE_POSTGRES_URL, 'postgres://u:hunter2@db/t')
  assert.equal(rendered.all('PodDisruptionBudget').length, 1)
  const spread = template.spec.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)
  assert.deepEqual(spread, ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
  const rules = rendered.one('NetworkPolicy').spec.ingress as { readonly from: readonly object[] }[]
  assert.ok(rules.some(({ from }) => from.some((peer) => 'podSelector' in peer)))
})

test('one replica in files has no part of the database in its configuration', () => {
  const { config } = new Rendered()
  assert.equal(config.replica, undefined)
  assert.equal((config.storage as object & { postgres?: object }).postgres, undefined)
})

test('metrics on a port of their own have it in the container, the service and the monitor', () => {
  const rendered = new Rendered({ metrics: { port: 9464, serviceMonitor: { enabled: true } } })
  assert.deepEqual(
    rendered.container.ports.map(({ name, containerPort }) => [name, containerPort]),
    [
      ['http', 3000],
      ['metrics', 9464],
    ],
  )
  assert.deepEqual((rendered.one('ServiceMonitor').spec.endpoints as { port: string }[])[0]?.port, 'metrics')
})

test('everything that can be turned on renders together', () => {
  const kinds = new Rendered({
    ingress: { enabled: true, className: 'nginx', tls: [{ hosts: ['a'], secretName: 's' }] },
    networkPolicy: { enabled: true, egress: [{}] },
    podDisruptionBudget: { enabled: true },
    storage: { type: 'postgres', postgres: { url: 'postgres://db/t' } },
    autoscaling: { enabled: true },
    metrics: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true, labels: { release: 'mon' } } },
    templates: { files: { 'chatws.tmpl': 'x' } },
    extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy' }],
    podLabels: { team: 'ops' },
    podAnnotations: { note: 'x' },
  }).manifests.map(({ kind }) => kind)
  const wanted = [
    ...['HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'PrometheusRule'],
    'ServiceMonitor',
  ]
  for (const kind of wanted) assert.ok(kinds.includes(kind), kind)
})

test('the alerts of the chart are those of the rules file', () => {
  const { spec } = new Rendered({ metrics: { prometheusRule: { enabled: true } } }).one('PrometheusRule')
  assert.deepEqual(spec, parse(readFileSync(join(CHART, '../../prometheus/tocsin.rules.yaml'), 'utf8')))
})

test('the notes say how to read the secret, and that the image must be built', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-notes-'))
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  cpSync(CHART, dir, { recursive: true })
  renameSync(join(dir, 'templates/NOTES.txt'), join(dir, 'NOTES.txt'))
  writeFileSync(join(dir, 'templates/notes.yaml'), 'notes: {{ tpl (.Files.Get "NOTES.txt") . | toJson }}')
  const notes = (...sets: string[]) =>
    helm(['template', 't', dir, '--show-only', 'templates/notes.yaml', ...sets.flatMap((set) => ['--set', set])]).stdout
  assert.match(notes('gatewaySecret=a'), /get secret t-tocsin --output jsonpath='\{\.data\.GATEWAY_SECRET\}'/)
  assert.match(notes('existingSecret=mine'), /get secret mine --output/)
  assert.match(notes(), /No gatewaySecret.*docker push/)
  assert.doesNotMatch(notes('image.repository=registry.example.net/tocsin'), /docker push/)
})
