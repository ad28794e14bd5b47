import type { TemplateList } from '../../../src/api/templates.ts'
import type { AdminAnswer, AdminRoute } from '../../../src/http/contract.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import type { Ask } from '../../messages/query.ts'
import type { SendQueries } from '../../messages/send-queries.ts'

/** For the template playground: the templates in use, and a payload of every sender's shape. */
export function templatesRoute(askSenders: Ask<SendQueries>): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/templates',
    async answer(): Promise<AdminAnswer<TemplateList>> {
      const templates = await askSenders({ kind: 'templates' })
      return { status: 200, json: { templates, samples: SAMPLES } }
    },
  }
}
