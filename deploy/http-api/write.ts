import { writeFileSync } from 'node:fs'
import { openapi } from '../../src/http/openapi/document.ts'
import { apiMarkdown } from './markdown.ts'

/** `npm run docs:http-api`: writes docs/http-api.md. */
writeFileSync(new URL('../../docs/http-api.md', import.meta.url), apiMarkdown(openapi('')))
