import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { render } from '../../deploy/helm.ts'

interface Container {
  readonly args: string[]
  readonly image: string
  readonly env: { readonly name: string; readonly value?: string }[]
  readonly envFrom?: { readonly secretRef?: { readonly name: string } }[]
  readonly ports: { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts: { readonly name: string; readonly mountPath: string }[]
  readonly securityContext: { readonly [key: string]: unknown }
}
interface Volume {
  readonly name: string
  readonly emptyDir?: object
  readonly persistentVolumeClaim?: { readonly claimName: string }
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: { readonly [key: string]: string } | null }
  readonly data?: { readonly [key: string]: string }
  readonly stringData?: { readonly [key: string]: string }
  readonly spec: {
    readonly replicas?: number
    readonly strategy?: { readonly type: string }
    readonly accessModes?: string[]
    readonly resources?: { readonly requests: { readonly storage: string } }
    readonly template: {
      readonly metadata: { readonly annotations: { readonly [key: string]: string } }
      readonly spec: {
        readonly automountServiceAccountToken: boolean
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: { readonly [key: string]: unknown }
        readonly containers: Container[]
        readonly volumes: Volume[]
        readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[]
      }
    }
    readonly [key: string]: unknown
  }
}

/** Everything the chart renders for these values. */
export class Rendered {
  readonly manifests: readonly Manifest[]

  constructor(values: object = {}) {
    this.manifests = parseAllDocuments(render('t', values)).flatMap((document) => {
      const manifest: Manifest | null = document.toJS()
      return manifest === null ? [] : [manifest]
    })
  }

  all(kind: string): Manifest[] {
    return this.manifests.filter((manifest) => manifest.kind === kind)
  }

  one(kind: string): Manifest {
    const [only, ...more] = this.all(kind)
    assert.ok(only && more.length === 0, `one ${kind}`)
    return only
  }

  get pod() {
    return this.one('Deployment').spec.template
  }

  get container(): Container {
    const [container] = this.pod.spec.containers
    assert.ok(container)
    return container
  }

  /** The service's config.yaml as text. */
  get configText(): string {
    return this.all('ConfigMap').find(({ data }) => data?.['config.yaml'])?.data?.['config.yaml'] ?? ''
  }

  get config(): { readonly [key: string]: unknown } {
    return parse(this.configText)
  }

  /** Variables that the pod gets from the Secret. */
  get credentials(): { readonly [variable: string]: string } {
    return this.all('Secret')[0]?.stringData ?? {}
  }
}

/** Returns helm's error for values that it refuses. */
export function refusal(values: object): string {
  try {
    render('t', values)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return assert.fail('helm rendered it')
}

/** Writes the rendered config.yaml; data and templates of the container lie in `dir` instead. */
export function configOf(t: TestContext, rendered: Rendered): { readonly file: string; readonly dir: string } {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-chart-'))
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const file = join(dir, 'config.yaml')
  const text = rendered.configText.replaceAll('/etc/tocsin/templates', dir).replace(': /data\n', `: ${dir}/data\n`)
  writeFileSync(file, text)
  return { file, dir }
}
