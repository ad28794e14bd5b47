import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { type Copy, DockerfileParser, type From } from 'dockerfile-ast'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const dockerfile = DockerfileParser.parse(read('deploy/Dockerfile'))
const instructions = dockerfile.getInstructions()
const stages = instructions.filter((each): each is From => each.getKeyword() === 'FROM')
const last = instructions.slice(instructions.indexOf(stages.at(-1) as From))
const argumentsOf = (keyword: string) =>
  last.filter((each) => each.getKeyword() === keyword).map((each) => each.getRawArgumentsContent() ?? '')

test('the image is slim, and holds nothing but the unpacked archive', () => {
  assert.deepEqual(
    stages.map((stage) => stage.getImage()),
    ['node:22-slim', 'debian:12-slim'],
  )
  assert.deepEqual(argumentsOf('COPY'), ['/app/unpacked /opt/tocsin'])
})

test('the image runs any command, by default the service, as a user without privileges', () => {
  assert.deepEqual(argumentsOf('USER'), ['1000:1000'])
  assert.deepEqual(argumentsOf('ENTRYPOINT'), ['["/opt/tocsin/tocsin"]'])
  assert.deepEqual(argumentsOf('CMD'), ['["serve"]'])
})

test('data lies on a volume that the user may write to, and the health check asks the service itself', () => {
  assert.deepEqual(argumentsOf('VOLUME'), ['/data'])
  assert.match(argumentsOf('ENV').join(' '), /STORAGE_FILE_DATA_DIR=\/data/)
  assert.match(argumentsOf('RUN').join(' '), /--owner=1000 .*\/data/)
  assert.match(argumentsOf('HEALTHCHECK').join(' '), /\/healthz/)
})

test('the labels tell the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.match(argumentsOf('LABEL').join(' '), new RegExp(`org.opencontainers.image.version="${version}"`))
})

test('what the Dockerfile copies exists and is not ignored', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const copies = instructions.filter((each): each is Copy => each.getKeyword() === 'COPY')
  const own = copies.filter((copy) => copy.getFlags().every((flag) => flag.getName() !== 'from'))
  const sources = own.flatMap((copy) => copy.getArguments().slice(0, -1).map(String))
  for (const source of sources) {
    assert.ok(existsSync(join(ROOT, source)), `${source} exists`)
    assert.ok(allowed.includes(source), `${source} is allowed by .dockerignore`)
  }
})

interface Service {
  readonly profiles?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly stop_grace_period?: string
}

test('compose runs the service alone unless the demo is asked for, with a read-only root and time to drain', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as { services: { [name: string]: Service } }
  const always = Object.keys(services).filter((name) => services[name]?.profiles === undefined)
  assert.deepEqual(always, ['tocsin'])
  assert.equal(services.tocsin?.read_only, true)
  assert.equal(services.tocsin?.stop_grace_period, '30s')
  assert.ok(services.prometheus && services.alertmanager && services.simulator)
})

test('every file that compose mounts exists', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as { services: { [name: string]: Service } }
  const mounts = Object.values(services)
    .flatMap(({ volumes = [] }) => volumes)
    .map((volume) => volume.split(':')[0] ?? '')
    .filter((path) => path.startsWith('.'))
  assert.ok(mounts.length >= 4)
  for (const path of mounts) assert.ok(existsSync(join(ROOT, 'deploy', path)), path)
})
