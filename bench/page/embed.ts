import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface PageParts {
  readonly title: string
  /** Name of the script in this folder, with whatever styles it imports. */
  readonly script: string
  /** What the script finds by `shown()`. */
  readonly data: unknown
}

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** A page that is one file: scripts, styles and what it shows are in it, and it asks nobody for anything. */
export async function pageWith({ title, script, data }: PageParts): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${HERE}${script}.ts`],
    tsconfig: `${HERE}tsconfig.json`,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    outdir: HERE,
    write: false,
  })
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  // Neither a tag that ends the script nor a comment that swallows it can stand in the data.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
<style>${textOf('.css')}</style>
<body>
<script type="application/json" id="shown">${json}</script>
<script>${textOf('.js').replaceAll('</script', '<\\/script')}</script>
`
}
