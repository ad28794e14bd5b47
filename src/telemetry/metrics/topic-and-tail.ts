import { counter, each, type Family, gauge, one } from './family.ts'

/** The notification topic, the doors and the live tail. */
export const TOPIC_AND_TAIL: readonly Family[] = [
  gauge(
    'tocsin_topic_subscribed',
    '1 while the notification topic is subscribed, else 0; absent without a topic.',
    ({ topic }) => one(topic.subscription ? Number(topic.subscription.state === 'subscribed') : undefined),
  ),
  counter('tocsin_topic_messages_total', 'Messages of the notification topic that were accepted.', ({ topic }) =>
    one(topic.messages.taken),
  ),
  counter(
    'tocsin_topic_refused_total',
    'Messages of the notification topic that were refused, by error code.',
    ({ topic }) => each('code', Object.entries(topic.messages.refused)),
  ),
  counter(
    'tocsin_door_requests_total',
    'Requests to the doors in the shape of other programs’ APIs, by the status of the answer.',
    ({ doors }) =>
      doors.flatMap(({ name, codes }) =>
        Object.entries(codes).map(([code, value]) => ({ labels: { door: name, code }, value })),
      ),
  ),
  counter('tocsin_door_ignored_total', 'What doors took and what changes nothing, by reason.', ({ doors }) =>
    doors.flatMap(({ name, ignored }) =>
      Object.entries(ignored).map(([reason, value]) => ({ labels: { door: name, reason }, value })),
    ),
  ),
  gauge('tocsin_tail_clients', 'Clients of the live tail.', ({ tailClients }) => one(tailClients)),
]
