import type { PublicRoute } from '../contract.ts'

/** Serves the OpenAPI document. It is built, and its schemas are loaded, at the first request. */
export function openapiRoute(version: string): PublicRoute {
  let body: Promise<string> | undefined
  const build = async () => {
    const { openapi } = await import('./document.ts')
    return JSON.stringify(openapi(version))
  }
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }
  return {
    method: 'GET',
    path: '/api/openapi.json',
    async answer() {
      body ??= build()
      return { status: 200, body: await body, headers }
    },
  }
}
