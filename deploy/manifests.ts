import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { render } from './helm.ts'

/** Values of the plain manifests: one replica with a volume. */
const VALUES = { existingSecret: 'tocsin-credentials', storage: { persistence: { enabled: true } } }
export const FILE = join(import.meta.dirname, 'kubernetes/tocsin.yaml')

const HEAD = `# Tocsin without helm: one replica with a volume. Rendered from the chart by \`npm run manifests\`; change the chart, not this file.
#
#   kubectl create secret generic tocsin-credentials --from-literal=GATEWAY_SECRET="$(openssl rand -hex 16)"
#   kubectl apply --filename tocsin.yaml
`

/** Renders the plain manifests from the chart. */
export function manifests(): string {
  const plain = render('tocsin', VALUES)
    .split('\n')
    .filter((line) => !/helm\.sh\/|managed-by|^# Source/.test(line))
  const withoutEmpty = plain.join('\n').replace(/^ *annotations:\n(?: *#.*\n)*(?=\S)/gm, '')
  return HEAD + withoutEmpty
}

if (import.meta.main) writeFileSync(FILE, manifests())
