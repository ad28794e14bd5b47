import assert from 'node:assert/strict'
import test from 'node:test'
import { Rendered, refusal } from './support.ts'

const persistent = { storage: { persistence: { enabled: true } } }
const database = { storage: { type: 'postgres', postgres: { url: 'postgres://db/t' } } }
const shared = { storage: { persistence: { enabled: true, accessMode: 'ReadWriteMany' } } }
const WAY_OUT = /set storage\.type=postgres and storage\.postgres\.url/

const refused: readonly (readonly [what: string, values: object, ...says: RegExp[]])[] = [
  ['an unknown storage.type', { storage: { type: 's3' } }, /"s3"/, /set storage\.type=file/],
  ['a database without an address', { storage: { type: 'postgres' } }, /set storage\.postgres\.url/],
  [
    'a volume beside a database',
    { storage: { type: 'postgres', postgres: { url: 'postgres://u:hunter2@db/t' }, persistence: { enabled: true } } },
    /set storage\.persistence\.enabled=false/,
  ],
  [
    'a lease without a unit',
    { storage: { type: 'postgres', postgres: { url: 'postgres://db/t', lease: '5' } } },
    /postgres\/lease/,
  ],
  [
    'several replicas on a ReadWriteOnce volume',
    { ...persistent, replicaCount: 2 },
    /ReadWriteOnce/,
    WAY_OUT,
    /or replicaCount=1/,
  ],
  ['several replicas on files', { replicaCount: 3 }, /incidents of its own/, WAY_OUT, /or replicaCount=1/],
  ['several replicas on a shared volume', { ...shared, replicaCount: 2 }, /incidents of its own/, WAY_OUT],
  ['an autoscaler on files', { autoscaling: { enabled: true } }, /incidents of its own/, WAY_OUT],
  [
    'several replicas with the agent',
    { agent: { enable: true }, replicaCount: 2 },
    /single writer/,
    WAY_OUT,
    /or replicaCount=1/,
  ],
  ['an unknown agent.mode', { agent: { mode: 'watch' } }, /"watch"/, /training, shadow or detect/],
  ['a model without a key', { agent: { ai: { enable: true } } }, /set agent\.ai\.apiKey/],
  [
    'a claim without persistence',
    { storage: { persistence: { existingClaim: 'c' } } },
    /set storage\.persistence\.enabled=true/,
  ],
  [
    'an autoscaler with the agent',
    { autoscaling: { enabled: true }, agent: { enable: true } },
    /single writer/,
    /or autoscaling\.enabled=false/,
  ],
  [
    'an autoscaler on a ReadWriteOnce volume',
    { autoscaling: { enabled: true }, ...persistent },
    /ReadWriteOnce/,
    /or autoscaling\.enabled=false/,
  ],
  [
    'an access mode that cannot be written',
    { storage: { persistence: { enabled: true, accessMode: 'ReadOnlyMany' } } },
    /ReadOnlyMany/,
  ],
  ['a data directory that is no mount path', { storage: { file: { dataDir: './data' } } }, /absolute path/],
  ['credentials beside an existing Secret', { existingSecret: 's', gatewaySecret: 'hunter2' }, /GATEWAY_SECRET/],
  [
    'a service monitor without metrics',
    { metrics: { enable: false, serviceMonitor: { enabled: true } } },
    /metrics\.enable=true/,
  ],
  ['rules without metrics', { metrics: { enable: false, prometheusRule: { enabled: true } } }, /metrics\.enable=true/],
  [
    'a name that no variable can have',
    { alert: { officechat: { otherFlowUrls: { 'Q C': 'http://x' } } } },
    /lower case/,
  ],
  ['less grace than the drain takes', { terminationGracePeriodSeconds: 5 }, /at least 10/],
  ['a value that nobody knows', { agent: { modes: 'detect' } }, /modes/],
  [
    'the password of a proxy as it is',
    { alert: { msgapp: { proxy: { url: 'http://proxy.test', password: 'hunter2' } } } },
    /alert\.msgapp\.proxy\.password/,
    /"\$\{PROXY_PASSWORD\}"/,
  ],
  ['a key of a proxy that nobody knows', { alert: { chatws: { proxy: { user: 'bell' } } } }, /user/],
  ['a duration without a unit', { delivery: { timeout: '10' } }, /delivery\/timeout/],
]

for (const [what, values, ...says] of refused)
  test(`${what} does not render`, () => {
    const text = refusal(values)
    for (const expected of says) assert.match(text, expected)
    assert.doesNotMatch(text, /hunter2/)
  })

const accepted: readonly (readonly [what: string, values: object])[] = [
  ['one replica on a shared volume', shared],
  ['the agent with one replica and its volume', { ...persistent, agent: { enable: true, mode: 'detect' } }],
  ['several replicas on a database', { ...database, replicaCount: 3 }],
  [
    'an autoscaler on a database, with the agent',
    { ...database, autoscaling: { enabled: true }, agent: { enable: true } },
  ],
  ['several replicas with the agent on a database', { ...database, replicaCount: 3, agent: { enable: true } }],
  [
    'a database whose address is in a variable',
    { storage: { type: 'postgres' }, extraEnv: [{ name: 'STORAGE_POSTGRES_URL', value: 'postgres://db/t' }] },
  ],
  ['a model whose key is in an existing Secret', { existingSecret: 's', agent: { ai: { enable: true } } }],
  [
    'a model whose key is in a variable',
    { agent: { ai: { enable: true } }, extraEnv: [{ name: 'AGENT_AI_API_KEY', value: 'k' }] },
  ],
]

for (const [what, values] of accepted)
  test(`${what} renders`, () => {
    assert.ok(new Rendered(values).manifests.length > 3)
  })
