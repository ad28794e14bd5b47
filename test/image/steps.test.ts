import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Copy, DockerfileParser } from 'dockerfile-ast'
import { freePort } from '../harness/net/port.ts'

const ROOT = join(import.meta.dirname, '../..')
const READY_MS = 30_000
/** npm takes the node of PATH for what it runs: the one that runs this. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

/** Does what the Dockerfile says, with a folder for each stage; returns the last one, which stands for the image. */
function build(t: TestContext): { readonly image: string; readonly command: readonly string[] } {
  const base = mkdtempSync(join(tmpdir(), 'tocsin-image-'))
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }))
  const stages = new Map<string, string>()
  let stage = ''
  const command: string[] = []
  const text = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const words = (instruction.getRawArgumentsContent() ?? '').split(/\s+/)
    switch (instruction.getKeyword()) {
      case 'FROM':
        stage = join(base, words[2] ?? 'image')
        mkdirSync(join(stage, 'app'), { recursive: true })
        stages.set(words[2] ?? 'image', stage)
        break
      case 'COPY':
        copy(instruction as Copy, stages, stage)
        break
      case 'RUN':
        if (words[0] === 'npm')
          execFileSync('sh', ['-c', words.join(' ')], {
            cwd: join(stage, 'app'),
            stdio: 'pipe',
            env: { ...process.env, PATH },
          })
        break
      case 'ENTRYPOINT':
      case 'CMD':
        command.push(...(JSON.parse(words.join(' ')) as string[]))
        break
      default:
    }
  }
  return { image: stage, command }
}

function copy(instruction: Copy, stages: ReadonlyMap<string, string>, stage: string): void {
  const from = instruction
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue()
  const source = from === undefined ? ROOT : (stages.get(from ?? '') ?? assert.fail(`no stage ${from}`))
  const paths = instruction.getArguments().map(String)
  const target = paths.at(-1) ?? ''
  const to = target.startsWith('/') ? join(stage, target) : join(stage, 'app', target)
  for (const path of paths.slice(0, -1)) {
    const file = statSync(join(source, path)).isFile()
    cpSync(join(source, path), file ? join(to, basename(path)) : to, { recursive: true })
  }
}

test('the steps of the Dockerfile make a service that starts, serves its dashboard and ends on SIGTERM', async (t) => {
  const { image, command } = build(t)
  const data = join(image, 'data')
  mkdirSync(data)
  const port = await freePort()
  const [launcher = '', ...args] = command
  const child = spawn(join(image, launcher), args, {
    cwd: image,
    env: {
      PATH: '/usr/bin:/bin',
      NODE_ENV: 'production',
      STORAGE_FILE_DATA_DIR: data,
      PORT: String(port),
      GATEWAY_SECRET: 'of-the-image',
    },
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + READY_MS
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.ok(Date.now() < deadline && child.exitCode === null, output)
    await pause(50)
  }
  const page = await fetch(`${url}/`)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<html/i)
  const body = JSON.stringify({ Logs: 'hello' })
  const created = await fetch(`${url}/api/incidents`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  })
  assert.equal(created.status, 201)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0, output)
})
