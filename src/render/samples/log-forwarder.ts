import type { Payload } from '../../domain/incident.ts'
import type { Sample } from './sample.ts'

const LOG: Payload = {
  date: 1_773_061_327.118,
  log: '2026-03-09T13:02:07.118Z ERROR payment 48213 was not captured\njava.net.SocketTimeoutException: Read timed out after 5000 ms\n    at net.example.pay.Gateway.capture(Gateway.java:212)\n    at net.example.pay.Worker.run(Worker.java:64)',
  stream: 'stderr',
  time: '2026-03-09T13:02:07.118Z',
  kubernetes: {
    pod_name: 'payments-7c9d8b6f5-x2mvk',
    namespace_name: 'shop',
    pod_id: '9f1d1f6e-3f0e-4d3f-9b39-0b4cf1c3a6a2',
    labels: { app: 'payments', tier: 'backend', environment: 'production' },
    annotations: { 'prometheus.io/scrape': 'true' },
    host: 'worker-09.fra.example.net',
    container_name: 'payments',
    docker_id: '7b1f4c0de9',
    container_hash: 'registry.example.net/payments@sha256:5d41',
    container_image: 'registry.example.net/payments:2.31.0',
  },
}

export const LOG_FORWARDER: readonly Sample[] = [
  { name: 'Log forwarder', sender: 'log_forwarder', payload: LOG },
  {
    name: 'Log forwarder: one line, no cluster',
    sender: 'log_forwarder',
    payload: { date: 1_773_061_400, log: 'kernel: Out of memory: Killed process 2204 (indexer)\n', stream: 'stdout' },
  },
]
