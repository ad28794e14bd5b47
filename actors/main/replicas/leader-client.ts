import type { Cluster, Leader } from '../../../src/cluster/contract.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { secretOf } from '../../../src/http/auth.ts'
import type { PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { HttpFailure, type HttpResponse } from '../../../src/outbound/http-call.ts'
import { openHttpClient } from '../../../src/outbound/http-client.ts'

/** Marks a request that a follower sent on, so that no replica sends it on again. */
export const FORWARDED = 'x-tocsin-forwarded'
/** The gateway secret of the follower that sent a client's request on: it vouches for the header `CLIENT`. */
const REPLICA_SECRET = 'x-tocsin-replica'
/** Address and network of the follower's client. */
const CLIENT = 'x-tocsin-client'
/** Headers of a client's request that a follower sent on. */
export const CLIENT_HEADERS = [FORWARDED, REPLICA_SECRET, CLIENT]

interface LeaderRequest {
  readonly method: PublicRoute['method']
  /** With the query. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array | null
  /** Headers that authenticate a client to the leader. Absent: the replica authenticates itself. */
  readonly client?: Pick<PublicRequest, 'address' | 'network'>
}

interface LeaderClientDeps {
  readonly cluster: Pick<Cluster, 'leader' | 'watch'>
  /** '': requests go without it. */
  gatewaySecret(): string
}

/** Longer than the slowest answer, that to a channel's test message; shorter than the time a front gives main. */
const ANSWER_MS = 55_000
const CONNECT_MS = 3_000
/** The largest page of incidents with their payloads is smaller. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const CONNECTIONS = 64

const NO_LEADER =
  'no replica leads at the moment: one takes over when the lease of the last leader has ended; ask again'
const NOT_LEADING = 'a replica sent this request on to here, and this replica does not lead: ask again'

/** Asks the leader over HTTP, with the gateway secret. */
export class LeaderClient {
  readonly #deps: LeaderClientDeps
  readonly #http = openHttpClient({ connections: CONNECTIONS, connectMs: CONNECT_MS, environmentProxy: false })
  /** Ends the requests under way to one address, when another replica leads. */
  #term = new AbortController()
  #address = ''

  constructor(deps: LeaderClientDeps) {
    this.#deps = deps
    deps.cluster.watch(() => void this.#termOf(deps.cluster.leader()?.address ?? ''))
  }

  get leads(): boolean {
    return this.#deps.cluster.leader()?.self === true
  }

  /** Throws peer_down when this replica does not lead; for requests that only a leader may answer. */
  mustLead(): void {
    if (!this.leads) throw new CodedError('peer_down', NOT_LEADING)
  }

  /** Returns the leader that can be asked. Throws peer_down. */
  leader(): Leader {
    const leader = this.#deps.cluster.leader()
    if (leader === undefined) throw new CodedError('peer_down', NO_LEADER)
    if (leader.address !== '') return leader
    const advice = 'set replica.address there to an address that the other replicas reach'
    throw new CodedError('peer_down', causeOf(leader, 'has no address', advice))
  }

  /**
   * Returns the leader's answer, whatever its status is. Rejects with peer_down when no replica leads, the leader gives
   * no answer within 55 s, it refuses this replica's gateway secret, or another replica leads before it has answered.
   */
  async send({ method, path, headers, body, client }: LeaderRequest): Promise<HttpResponse> {
    const leader = this.leader()
    const secret = this.#deps.gatewaySecret()
    const term = this.#termOf(leader.address)
    const response = await this.#http
      .send({
        url: leader.address + path,
        method,
        headers: {
          ...headers,
          [FORWARDED]: '1',
          ...(secret !== '' && client === undefined ? { 'x-gateway-secret': secret } : {}),
          ...(secret !== '' && client !== undefined
            ? { [REPLICA_SECRET]: secret, [CLIENT]: `${client.address} ${client.network}` }
            : {}),
        },
        body,
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), term]),
        maxBytes: MAX_ANSWER_BYTES,
        whenLonger: 'fail',
      })
      .catch((error) => {
        throw failureOf(error, { leader, gone: term.aborted })
      })
    const { status } = response
    if (secret !== '' && client === undefined && (status === 401 || status === 429)) {
      const cause = `replica ${leader.name} leads and refuses the gateway secret of this replica`
      throw new CodedError('peer_down', `${cause}: give all replicas the same gateway_secret`)
    }
    return response
  }

  /** Returns a request that a follower sent on as the follower got it, when the follower shows the gateway secret. */
  clientOf(request: PublicRequest): PublicRequest {
    const [address, network] = (request.headers[CLIENT] ?? '').split(' ')
    const vouched = secretOf(this.#deps.gatewaySecret())?.matches(request.headers[REPLICA_SECRET] ?? '') ?? false
    return vouched && address && network ? { ...request, address, network } : request
  }

  /** Ends requests under way. */
  close(): Promise<void> {
    this.#term.abort()
    return this.#http.destroy()
  }

  #termOf(address: string): AbortSignal {
    if (this.#address !== address) {
      this.#term.abort()
      this.#term = new AbortController()
      this.#address = address
    }
    return this.#term.signal
  }
}

function failureOf(error: unknown, { leader, gone }: { leader: Leader; gone: boolean }): unknown {
  if (!(error instanceof HttpFailure)) return error
  const mayBeDone = error.written ? '; what was asked may be done' : ''
  const cause = gone
    ? `replica ${leader.name} led and leads no more${mayBeDone}: ask again`
    : causeOf(leader, `${wayOf(error)} at ${leader.address} (${error.message})${mayBeDone}`, ADVICE)
  return new CodedError('peer_down', cause, { cause: error })
}

function causeOf({ name, former }: Leader, why: string, advice: string): string {
  if (former === undefined) return `replica ${name} leads and ${why}: ${advice}`
  const cause = `the process of replica ${name} that ran before this one holds the lease until it ends, and ${why}`
  return `${cause}: ask again; a process that starts with the same replica.address as the one before leads at once`
}

const ADVICE = 'check replica.address there, and that the network lets the replicas reach each other'

function wayOf({ kind }: HttpFailure): string {
  switch (kind) {
    case 'unreachable':
      return 'cannot be reached'
    case 'untrusted':
      return 'has no trusted certificate'
    case 'silent':
      return 'does not answer'
    case 'too_long':
      return 'gives too long an answer'
    default:
      return kind satisfies never
  }
}
