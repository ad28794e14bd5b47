import type { AdminRoute } from '../../../src/http/contract.ts'
import type { TopicStatus } from '../topic/intake.ts'

/** How the subscription stands and what became of the topic's messages. */
export function topicRoutes(status: () => TopicStatus): readonly AdminRoute[] {
  return [{ method: 'GET', path: '/api/admin/topic', answer: async () => ({ status: 200, json: status() }) }]
}
