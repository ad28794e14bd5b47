import { eventsOf, type System } from '../event.ts'
import {
  count,
  decimal,
  goDuration,
  hex,
  integer,
  joined,
  list,
  names,
  oneOf,
  port,
  shared,
  stampOf,
} from '../values.ts'

const member = names(['8e9e05c52164694d', 'f7b9a1c24d31e06a', '3c5e0a91bb7d4412'], ['b04c9e17fa3d5520'])
const resource = shared(
  'resource',
  names(
    ['pods', 'leases', 'configmaps', 'endpointslices', 'events', 'secrets', 'minions', 'deployments'],
    ['customresourcedefinitions', 'vouchers.shop.example.com'],
  ),
)
const object = shared(
  'object',
  joined(
    names(['kube-system', 'default', 'shop', 'monitoring'], ['returns']),
    '/',
    names(['web', 'orders', 'coredns'], ['vouchers']),
    '-',
    hex(5),
  ),
)
const key = oneOf(
  joined('/registry/', resource, '/', object),
  joined('/registry/', resource, '/'),
  () => '/registry/health',
)
const ip = shared('ip', joined('10.0.', integer(0, 9), '.', integer(2, 250)))
const url = joined('https://10.0.0.', integer(11, 13), ':', names(['2380', '2379']))
const file = joined(
  '/var/lib/etcd/member/',
  names(['snap/', 'wal/']),
  hex(16),
  '-',
  hex(16),
  names(['.snap', '.wal', '.snap.db']),
)

const traced = shared('trace', joined('trace[', count(2_000_000_000), ']'))

/** Steps of a request. */
const steps = names(
  [
    'process raft request',
    'range keys from in-memory index tree',
    'agreement among raft nodes before linearized reading|range keys from in-memory index tree',
    'read index received|applied index is now lower than readState.Index',
    'compare|process raft request|marshal mvccpb.KeyValue',
  ],
  ['agreement among raft nodes before linearized reading|filter and sort the key-value pairs'],
)

/** The log of an etcd 3.5 member: one JSON object a line. The header ends before the message. */
export const etcd: System = {
  name: 'etcd',
  header({ cells: [level, caller] }, draw) {
    const { year, month, day, clock, micros } = stampOf(draw)
    return `{"level":"${level}","ts":"${year}-${month}-${day}T${clock}.${micros}Z","caller":"${caller}",`
  },
  values: {
    member,
    name: names(['etcd-0', 'etcd-1', 'etcd-2'], ['etcd-3']),
    key,
    end: joined('/registry/', resource, '0'),
    range: names(
      ['range_response_count:0 size:7', 'range_response_count:1 size:1198', 'range_response_count:500 size:90112'],
      ['range_response_count:12 size:40211'],
    ),
    took: goDuration,
    n: count(9_000_000),
    few: count(60),
    term: integer(4, 31),
    revision: count(900_000_000),
    hash: count(4_000_000_000),
    size: joined(decimal(1, 900), ' ', names(['MB', 'kB', 'GB'])),
    bytes: count(8_000_000_000),
    url,
    urls: list(joined('"', url, '"'), 3, ','),
    peer: joined(ip, ':', port),
    ip,
    error: names(
      ['EOF', 'tls: first record does not look like a TLS handshake', 'remote error: tls: bad certificate'],
      ['tls: client offered only unsupported versions: [302 301]'],
    ),
    file,
    version: joined('3.5.', integer(4, 12)),
    stream: names(['stream MsgApp v2', 'stream Message'], ['pipeline']),
    signal: names(['terminated', 'interrupt'], ['hangup']),
    cluster: hex(16),
    lease: hex(16),
    stamp: joined(
      '2026-03-31T',
      integer(10, 23),
      ':',
      integer(10, 59),
      ':',
      integer(10, 59),
      '.',
      integer(100_000, 999_999),
      'Z',
    ),
    trace: traced,
    detail: (draw) =>
      steps(draw)
        .split('|')
        .map((step) => `${traced(draw)} '${step}'  (duration: ${goDuration(draw)})`)
        .join('","'),
    method: names(
      ['/etcdserverpb.KV/Range', '/etcdserverpb.KV/Txn', '/etcdserverpb.Lease/LeaseGrant', '/etcdserverpb.Watch/Watch'],
      ['/etcdserverpb.Maintenance/Snapshot'],
    ),
  },
  events: eventsOf(`
    420 warn etcdserver/util.go:170 | "msg":"apply request took too long","took":"<took>","expected-duration":"100ms","prefix":"read-only range ","request":"key:\\"<key>\\" ","response":"<range>"}
    120 warn etcdserver/util.go:170 | "msg":"apply request took too long","took":"<took>","expected-duration":"100ms","prefix":"read-only range ","request":"key:\\"<key>\\" range_end:\\"<end>\\" limit:<few> ","response":"<range>"}
    !16 warn etcdserver/util.go:170 | "msg":"apply request took too long","took":"<took>","expected-duration":"100ms","prefix":"","request":"header:<ID:<hash> > txn:<compare:<target:MOD key:\\"<key>\\" mod_revision:<revision> > success:<request_put:<key:\\"<key>\\" value_size:<n> >> failure:<>>","response":"size:<few>"}
    !9 warn etcdserver/util.go:170 | "msg":"apply request took too long","took":"<took>","expected-duration":"100ms","prefix":"read-only range ","request":"key:\\"<key>\\" ","response":"","error":"context canceled"}
    260 info traceutil/trace.go:171 | "msg":"<trace> transaction","detail":"{read_only:false; response_revision:<revision>; number_of_response:<few>; }","duration":"<took>","start":"<stamp>","end":"<stamp>","steps":["<detail>"],"step_count":<few>}
    200 info traceutil/trace.go:171 | "msg":"<trace> range","detail":"{range_begin:<key>; range_end:<end>; response_count:<few>; response_revision:<revision>; }","duration":"<took>","start":"<stamp>","end":"<stamp>","steps":["<detail>"],"step_count":<few>}
     50 info traceutil/trace.go:171 | "msg":"<trace> linearizableReadLoop","detail":"{readStateIndex:<n>; appliedIndex:<n>; }","duration":"<took>","start":"<stamp>","end":"<stamp>","steps":["<detail>"],"step_count":<few>}
    130 info mvcc/index.go:214 | "msg":"compact tree index","revision":<revision>}
    130 info mvcc/kvstore_compaction.go:66 | "msg":"finished scheduled compaction","compact-revision":<revision>,"took":"<took>","hash":<hash>}
    110 info mvcc/hash.go:137 | "msg":"storing new hash","hash":<hash>,"revision":<revision>,"compact-revision":<revision>}
     60 warn embed/config_logging.go:169 | "msg":"rejected connection","remote-addr":"<peer>","server-name":"","error":"<error>"}
    !16 warn embed/config_logging.go:169 | "msg":"rejected connection","remote-addr":"<peer>","server-name":"","ip-addresses":["<ip>"],"dns-names":["<name>"],"error":"remote error: tls: bad certificate"}
     30 info etcdserver/server.go:1395 | "msg":"triggering snapshot","local-member-id":"<member>","local-member-applied-index":<n>,"local-member-snapshot-index":<n>,"local-member-snapshot-count":100000}
     30 info etcdserver/server.go:2413 | "msg":"saved snapshot","snapshot-index":<n>}
     30 info etcdserver/server.go:2442 | "msg":"compacted Raft logs","compact-index":<n>}
     20 info fileutil/purge.go:85 | "msg":"purged","path":"<file>"}
     12 info wal/wal.go:785 | "msg":"created a new WAL segment","path":"<file>"}
    !14 warn etcdserver/v3_server.go:840 | "msg":"waiting for ReadIndex response took too long, retrying","sent-request-id":<hash>,"retry-timeout":"500ms"}
    !6 warn etcdserver/v3_server.go:852 | "msg":"timed out waiting for read index response (local node might have slow network)","timeout":"7s"}
    !5 warn etcdserver/v3_server.go:814 | "msg":"ignored out-of-date read index response; local node read indexes queueing up and waiting to be in sync with leader","sent-request-id":<hash>,"received-request-id":<hash>}
    !14 warn etcdserver/raft.go:416 | "msg":"leader failed to send out heartbeat on time; took too long, leader is overloaded likely from slow disk","to":"<member>","heartbeat-interval":"100ms","expected-duration":"200ms","exceeded-duration":"<took>"}
    !9 warn wal/wal.go:805 | "msg":"slow fdatasync","took":"<took>","expected-duration":"1s"}
    !16 warn rafthttp/stream.go:421 | "msg":"lost TCP streaming connection with remote peer","stream-reader-type":"<stream>","local-member-id":"<member>","remote-peer-id":"<member>","error":"EOF"}
    !9 warn rafthttp/stream.go:421 | "msg":"lost TCP streaming connection with remote peer","stream-reader-type":"<stream>","local-member-id":"<member>","remote-peer-id":"<member>","error":"read tcp <peer>-><ip>:2380: i/o timeout"}
    !8 warn rafthttp/stream.go:194 | "msg":"lost TCP streaming connection with remote peer","stream-writer-type":"<stream>","local-member-id":"<member>","remote-peer-id":"<member>"}
     14 info rafthttp/stream.go:249 | "msg":"set message encoder","from":"<member>","to":"<member>","stream-type":"<stream>"}
     12 info rafthttp/stream.go:274 | "msg":"established TCP streaming connection with remote peer","stream-writer-type":"<stream>","local-member-id":"<member>","remote-peer-id":"<member>"}
     12 info rafthttp/stream.go:412 | "msg":"established TCP streaming connection with remote peer","stream-reader-type":"<stream>","local-member-id":"<member>","remote-peer-id":"<member>"}
      9 info rafthttp/peer_status.go:53 | "msg":"peer became active","peer-id":"<member>"}
     !8 warn rafthttp/peer_status.go:66 | "msg":"peer became inactive (message send to peer failed)","peer-id":"<member>","error":"failed to dial <member> on <stream> (dial tcp <ip>:2380: connect: connection refused)"}
    !20 warn rafthttp/probing_status.go:68 | "msg":"prober detected unhealthy status","round-tripper-name":"ROUND_TRIPPER_RAFT_MESSAGE","remote-peer-id":"<member>","rtt":"<took>","error":"dial tcp <ip>:2380: connect: connection refused"}
    !9 warn rafthttp/probing_status.go:68 | "msg":"prober detected unhealthy status","round-tripper-name":"ROUND_TRIPPER_SNAPSHOT","remote-peer-id":"<member>","rtt":"<took>","error":"dial tcp <ip>:2380: i/o timeout"}
     !4 warn rafthttp/probing_status.go:82 | "msg":"prober found high clock drift","round-tripper-name":"ROUND_TRIPPER_RAFT_MESSAGE","remote-peer-id":"<member>","clock-drift":"<took>","rtt":"<took>"}
    !12 info raft/logger.go:46 | "msg":"<member> is starting a new election at term <term>"}
      8 info raft/logger.go:46 | "msg":"<member> became pre-candidate at term <term>"}
      8 info raft/logger.go:46 | "msg":"<member> became candidate at term <term>"}
      8 info raft/logger.go:46 | "msg":"<member> became follower at term <term>"}
      5 info raft/logger.go:46 | "msg":"<member> became leader at term <term>"}
      8 info raft/logger.go:46 | "msg":"<member> received MsgVoteResp from <member> at term <term>"}
      8 info raft/logger.go:46 | "msg":"<member> received MsgPreVoteResp from <member> at term <term>"}
     10 info raft/logger.go:46 | "msg":"<member> [logterm: <term>, index: <n>] sent MsgPreVote request to <member> at term <term>"}
     10 info raft/logger.go:46 | "msg":"<member> [logterm: <term>, index: <n>] sent MsgVote request to <member> at term <term>"}
      5 info raft/logger.go:46 | "msg":"<member> [quorum:2] has received 2 MsgVoteResp votes and 0 vote rejections"}
     !5 info raft/logger.go:46 | "msg":"<member> [logterm: <term>, index: <n>, vote: <member>] rejected MsgVote from <member> [logterm: <term>, index: <n>] at term <term>"}
     !7 info raft/logger.go:46 | "msg":"raft.node: <member> lost leader <member> at term <term>"}
      7 info raft/logger.go:46 | "msg":"raft.node: <member> elected leader <member> at term <term>"}
     !4 warn raft/logger.go:46 | "msg":"<member> stepped down to follower since quorum is not active"}
     !4 info raft/logger.go:46 | "msg":"<member> [term <term>] starts to transfer leadership to <member>"}
     !3 info raft/logger.go:46 | "msg":"<member> [term <term>] ignored a MsgApp message with lower term from <member> [term: <term>]"}
     40 warn etcdserver/interceptor.go:197 | "msg":"request stats","start time":"<stamp>","time spent":"<took>","remote":"<peer>","response type":"<method>","request count":<few>,"request size":<n>,"response count":<few>,"response size":<n>,"request content":"key:\\"<key>\\" "}
     !8 warn v3rpc/interceptor.go:197 | "msg":"request stats","start time":"<stamp>","time spent":"<took>","remote":"<peer>","response type":"<method>","request count":-1,"request size":-1,"response count":-1,"response size":-1,"request content":""}
     !4 warn etcdserver/server.go:1920 | "msg":"failed to apply request","took":"<took>","request":"header:<ID:<hash> > lease_revoke:<id:<lease>>","response":"size:<few>","error":"lease not found"}
     !5 warn etcdserver/server.go:1127 | "msg":"failed to revoke lease","lease-id":"<lease>","error":"etcdserver: request timed out"}
     !5 warn v3rpc/lease.go:128 | "msg":"failed to receive lease keepalive request from gRPC stream","error":"rpc error: code = Canceled desc = context canceled"}
     14 warn v3rpc/watch.go:473 | "msg":"failed to send watch response to gRPC stream","error":"rpc error: code = Unavailable desc = transport is closing"}
     18 info v3rpc/maintenance.go:90 | "msg":"starting defragment"}
     18 info backend/backend.go:497 | "msg":"defragmenting","path":"<file>","current-db-size-bytes":<bytes>,"current-db-size":"<size>","current-db-size-in-use-bytes":<bytes>,"current-db-size-in-use":"<size>"}
     18 info backend/backend.go:549 | "msg":"finished defragmenting directory","path":"<file>","current-db-size-bytes-diff":-<bytes>,"current-db-size-bytes":<bytes>,"current-db-size":"<size>","took":"<took>"}
     !3 error v3rpc/maintenance.go:104 | "msg":"failed to defragment","error":"open <file>.tmp: no space left on device","stacktrace":"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc.(*maintenanceServer).Defragment\\n\\t/go/src/maintenance.go:104"}
     10 info v3rpc/maintenance.go:130 | "msg":"sending database snapshot to client","total-bytes":<bytes>,"size":"<size>","storage-version":"<version>"}
     10 info v3rpc/maintenance.go:177 | "msg":"successfully sent database snapshot to client","total-bytes":<bytes>,"size":"<size>","took":"<took>","storage-version":"<version>"}
     !3 warn etcdserver/apply.go:720 | "msg":"alarm raised","alarm":"NOSPACE","from":"<member>"}
     !3 warn etcdserver/corrupt.go:180 | "msg":"found data inconsistency with peers","local-member-id":"<member>","local-member-revision":<revision>,"local-member-hash":<hash>,"remote-peer-id":"<member>"}
     10 info etcdserver/corrupt.go:95 | "msg":"starting initial corruption check","local-member-id":"<member>","timeout":"7s"}
     10 info etcdserver/corrupt.go:165 | "msg":"initial corruption checking passed; no corruption","local-member-id":"<member>"}
     !6 warn etcdserver/cluster_util.go:288 | "msg":"failed to reach the peer URL","address":"<url>/version","remote-member-id":"<member>","error":"Get \\"<url>/version\\": dial tcp <ip>:2380: connect: connection refused"}
     !6 warn etcdserver/cluster_util.go:155 | "msg":"failed to get version","remote-member-id":"<member>","error":"Get \\"<url>/version\\": context deadline exceeded"}
      4 info membership/cluster.go:421 | "msg":"added member","cluster-id":"<cluster>","local-member-id":"<member>","added-peer-id":"<member>","added-peer-peer-urls":[<urls>]}
     !3 info membership/cluster.go:472 | "msg":"removed member","cluster-id":"<cluster>","local-member-id":"<member>","removed-remote-peer-id":"<member>","removed-remote-peer-urls":[<urls>]}
      3 info membership/cluster.go:584 | "msg":"set initial cluster version","cluster-id":"<cluster>","local-member-id":"<member>","cluster-version":"3.5"}
      3 info etcdserver/server.go:744 | "msg":"starting initial election tick advance","election-ticks":10}
      2 info embed/etcd.go:124 | "msg":"configuring peer listeners","listen-peer-urls":[<urls>]}
      2 info embed/etcd.go:132 | "msg":"configuring client listeners","listen-client-urls":[<urls>]}
      2 info embed/etcd.go:306 | "msg":"starting an etcd server","etcd-version":"<version>","go-version":"go1.20.12","go-os":"linux","go-arch":"amd64","max-cpu-set":<few>,"member-initialized":true,"name":"<name>","data-dir":"/var/lib/etcd","initial-advertise-peer-urls":[<urls>],"quota-backend-bytes":<bytes>}
      4 info embed/serve.go:250 | "msg":"serving client traffic securely","traffic":"grpc+http","address":"<peer>"}
      3 info osutil/interrupt_unix.go:64 | "msg":"received signal; shutting down","signal":"<signal>"}
      3 info embed/etcd.go:376 | "msg":"closing etcd server","name":"<name>","data-dir":"/var/lib/etcd","advertise-peer-urls":[<urls>],"advertise-client-urls":[<urls>]}
      3 info etcdserver/server.go:1482 | "msg":"skipped leadership transfer; local server is not leader","local-member-id":"<member>","current-leader-member-id":"<member>"}
      6 info etcdserver/zap_raft.go:77 | "msg":"Leadership transfer finished","from":"<member>","to":"<member>","took":"<took>"}
      9 info etcdmain/main.go:50 | "msg":"successfully notified init daemon"}
      !2 fatal etcdserver/server.go:901 | "msg":"failed to purge snap db file","error":"open <file>: too many open files"}
      !2 panic wal/decoder.go:101 | "msg":"failed to read WAL, cannot be repaired","path":"<file>","error":"walpb: crc mismatch"}
  `),
}
