import type { TopicStatus } from '../../../src/api/topic.ts'
import type { AdminRoute } from '../../../src/http/contract.ts'

/** State of the topic's subscription and counts of its messages. */
export function topicRoutes(status: () => TopicStatus): readonly AdminRoute[] {
  return [{ method: 'GET', path: '/api/admin/topic', answer: async () => ({ status: 200, json: status() }) }]
}
