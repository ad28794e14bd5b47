import type { NovelCounts } from './novelty.ts'
import type { Scenario } from './stream.ts'
import { elasticsearch } from './systems/elasticsearch.ts'
import { etcd } from './systems/etcd.ts'
import { kubelet } from './systems/kubelet.ts'
import { nginx } from './systems/nginx.ts'
import { postgresql } from './systems/postgresql.ts'
import { rabbitmq } from './systems/rabbitmq.ts'

const novel = (near: number, far: number, foreign: number): NovelCounts => ({ near, far, foreign })
const none = novel(0, 0, 0)

export const scenarios: readonly Scenario[] = [
  { name: '01-quiet-kubelet', systems: [kubelet], novel: none, bursts: 0, rate: 40 },
  { name: '02-quiet-postgresql', systems: [postgresql], novel: none, bursts: 0, rate: 35, uneven: true },
  { name: '03-novel-rabbitmq', systems: [rabbitmq], novel: novel(2, 3, 2), bursts: 0, rate: 35 },
  { name: '04-novel-elasticsearch', systems: [elasticsearch], novel: novel(2, 3, 2), bursts: 0, rate: 30 },
  { name: '05-novel-nginx', systems: [nginx], novel: novel(2, 3, 2), bursts: 0, rate: 45 },
  { name: '06-novel-etcd', systems: [etcd], novel: novel(2, 3, 1), bursts: 0, rate: 40 },
  { name: '07-bursts-kubelet', systems: [kubelet], novel: none, bursts: 6, rate: 40, uneven: true },
  { name: '08-bursts-postgresql', systems: [postgresql], novel: none, bursts: 6, rate: 40 },
  { name: '09-mixed-nginx', systems: [nginx], novel: novel(2, 2, 1), bursts: 4, rate: 45, uneven: true },
  {
    name: '10-mixed-postgresql-content',
    systems: [postgresql],
    novel: novel(2, 3, 1),
    bursts: 3,
    rate: 35,
    content: true,
  },
  {
    name: '11-mixed-kubelet-rabbitmq',
    systems: [kubelet, rabbitmq],
    novel: novel(1, 2, 1),
    bursts: 6,
    rate: 60,
    uneven: true,
  },
  {
    name: '12-mixed-elasticsearch-etcd',
    systems: [elasticsearch, etcd],
    novel: novel(1, 2, 1),
    bursts: 6,
    rate: 60,
    uneven: true,
  },
]
