import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { CHART } from './helm.ts'

export const README = join(CHART, 'README.md')

const HEAD = `# Tocsin chart

One replica that keeps its incidents in files on a volume, or several on one PostgreSQL database. Settings of the service have the
names of [its configuration](../../../docs/configuration.md) in camelCase. Installing, images, updates, what is refused and why:
[deployment](../../README.md#kubernetes). Three replicas: [three-replicas.yaml](../three-replicas.yaml).

    helm upgrade --install tocsin deploy/helm/tocsin --set image.repository=registry.example.net/tocsin \\
      --set gatewaySecret="$(openssl rand -hex 16)" --set storage.persistence.enabled=true

Written from the comments of values.yaml by \`npm run docs:chart\`.
`

type KeyedPair = Pair<Scalar<string>, unknown>

/** Returns the comments of a key and its value as one line: the last paragraph, without headings in dashes. */
function remark({ key, value }: KeyedPair): string {
  const { comment, commentBefore } = value as Scalar
  const comments = [key.commentBefore, isMap(value) ? commentBefore : comment]
  return comments
    .flatMap((comment) => comment?.split('\n\n').at(-1)?.split('\n') ?? [])
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('---'))
    .join(' ')
}

const inCode = (value: unknown) => `\`${(value === '' ? '""' : JSON.stringify(value)).replaceAll('|', '\\|')}\``

/** One row for each value, and one for a map that has a comment. A map that is written in one line is one value. */
function rows(map: YAMLMap, path: string): string[] {
  return (map.items as KeyedPair[]).flatMap((pair) => {
    const here = path + pair.key.value
    const { value } = pair
    if (!isMap(value) || value.flow)
      return [
        `| \`${here}\` | ${inCode(isScalar(value) ? value.value : (value as YAMLMap).toJSON())} | ${remark(pair)} |`,
      ]
    const text = remark(pair)
    return [...(text === '' ? [] : [`| \`${here}\` | | ${text} |`]), ...rows(value, `${here}.`)]
  })
}

/** Returns the chart's README: a table of all values with their defaults and comments. */
export function chartReadme(): string {
  const { contents } = parseDocument(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  return [HEAD, '| value | default | |', '|---|---|---|', ...rows(contents as YAMLMap, ''), ''].join('\n')
}

if (import.meta.main) writeFileSync(README, chartReadme())
