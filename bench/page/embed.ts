import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface PageParts {
  readonly title: string
  /** Name of a script in this folder; its styles are included. */
  readonly script: string
  /** Embedded as JSON; the script reads it with `shownData`. */
  readonly data: unknown
}

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Builds a page of one file that holds its scripts, styles and data, and loads nothing. */
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
  // Data can neither end the script element nor open a comment in it.
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
