import { eventsOf, type System, type Value } from '../event.ts'
import {
  address,
  count,
  decimal,
  hex,
  integer,
  joined,
  list,
  living,
  names,
  oneOf,
  part,
  shared,
  stampOf,
} from '../values.ts'
import { call } from './java-calls.ts'

/** Nodes and their ids, addresses and the data path on their disk. */
const nodes = [
  'es-data-0|pQ0mXk8yTVqgdJ7nS1cEfA|10.3.0.10|8f1c22d0',
  'es-data-1|Zt4rLhO2RbCwE9uYvI6xkg|10.3.0.11|c07a9be4',
  'es-data-2|hN7sWqDzT1KeM5aJbG3fUw|10.3.0.12|55d3a1f7',
  'es-master-0|Vb2cYx6RQl0oPiTnE8mKdA|10.3.0.9|02ee94ac',
]
const later = [
  'es-data-3|Lw9eRt3YuI5oPaSdF7gHjK|10.3.0.13|b1904d3e',
  'es-warm-0|Xc5vBn1MqW8eRtYuI2oPlA|10.3.0.20|e62f7710',
]
const node = shared('node', names(nodes, later))
const peer: Value = (draw) => {
  const [name, id, address] = names(nodes, later)(draw).split('|')
  return `{${name}}{${id}}{${id?.split('').reverse().join('')}}{${name}}{${address}}{${address}:9300}{cdfhilmrstw}{8.11.1}`
}
const day = joined('2026.0', integer(3, 4), '.', integer(10, 30))
/** Kinds of indices: the start of the name, template, policy and the cause of a new one. */
const kind = shared(
  'kind',
  names(
    [
      'logs-app-|logs|30-days-default|auto(bulk api)',
      '.ds-metrics-system.cpu-default-|metrics|metrics|rollover_data_stream',
      'logs-nginx-|logs|logs|auto(bulk api)',
      'audit-|synthetics|30-days-default|initialize_data_stream',
      'products-||ilm-history-ilm-policy|api',
    ],
    ['logs-checkout-|logs@custom|checkout-7d|auto(bulk api)'],
  ),
)
const index = shared(
  'index',
  oneOf(
    joined(part(kind, 0), day),
    joined(part(kind, 0), day),
    names(['products', 'customers-v3', '.kibana_8.11.1_001', '.security-7', '.tasks'], ['vouchers']),
  ),
)
const shard = joined('[', index, '][', shared('shard', integer(0, 4)), ']')
const identifier: Value = ({ random }) =>
  random.text(22, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-')
/** Steps of an index from one state of its life to the next. */
const transition = shared(
  'transition',
  names(
    [
      'null|{"phase":"new","action":"complete","name":"complete"}',
      '{"phase":"new","action":"complete","name":"complete"}|{"phase":"hot","action":"unfollow","name":"branch-check-unfollow-prerequisites"}',
      '{"phase":"hot","action":"unfollow","name":"branch-check-unfollow-prerequisites"}|{"phase":"hot","action":"rollover","name":"check-rollover-ready"}',
      '{"phase":"hot","action":"rollover","name":"check-rollover-ready"}|{"phase":"hot","action":"rollover","name":"attempt-rollover"}',
      '{"phase":"hot","action":"rollover","name":"attempt-rollover"}|{"phase":"hot","action":"rollover","name":"wait-for-active-shards"}',
      '{"phase":"hot","action":"complete","name":"complete"}|{"phase":"warm","action":"migrate","name":"branch-check-skip-action"}',
      '{"phase":"warm","action":"forcemerge","name":"segment-count"}|{"phase":"warm","action":"complete","name":"complete"}',
      '{"phase":"warm","action":"complete","name":"complete"}|{"phase":"delete","action":"delete","name":"wait-for-shard-history-leases"}',
    ],
    [
      '{"phase":"cold","action":"searchable_snapshot","name":"create-snapshot"}|{"phase":"cold","action":"complete","name":"complete"}',
    ],
  ),
)
const health = shared('health', names(['YELLOW|GREEN', 'RED|YELLOW', 'RED|GREEN', 'GREEN|YELLOW']))
/** The server log of an Elasticsearch 8 node, in the plain layout, with stack traces line by line. */
export const elasticsearch: System = {
  name: 'Elasticsearch',
  header({ cells: [level, logger] }, draw) {
    // Lines of a stack trace have no header.
    if (level === 'trace') return ''
    if (level === 'frame') return '\t'
    const { year, month, day, clock, ms } = stampOf(draw)
    return `[${year}-${month}-${day}T${clock},${ms}][${level?.padEnd(5)}][${logger}] [${part(node, 0)(draw)}] `
  },
  values: {
    index,
    indices: list(joined(part(kind, 0), day), 4, ', '),
    node: part(node, 0),
    peer,
    id: identifier,
    node_id: part(node, 1),
    shard,
    shards: list(shard, 3, ', '),
    n: count(90_000),
    few: count(30),
    ms: joined(decimal(1, 900), names(['ms', 's', 'm'])),
    size: joined(decimal(1, 900), names(['mb', 'gb', 'kb'])),
    pct: decimal(1, 100),
    bytes: count(30_000_000_000),
    cause: part(kind, 3),
    template: part(kind, 1),
    old_state: part(transition, 0),
    new_state: part(transition, 1),
    policy: part(kind, 2),
    old_health: part(health, 0),
    health: part(health, 1),
    task: names(
      ['put-mapping', 'create-index-template', 'shard-started', 'node-join', 'update-settings', 'cluster_reroute'],
      ['ilm-execute-cluster-state-steps'],
    ),
    rpc: joined(
      'indices:',
      names(
        [
          'data/read/search[phase/query]',
          'data/write/bulk[s]',
          'monitor/stats[n]',
          'admin/seq_no/global_checkpoint_sync[p]',
        ],
        ['data/write/update[s]'],
      ),
    ),
    address: joined(part(node, 2), ':9300'),
    http: joined(address, ':', integer(30_000, 60_000)),
    user: shared('user', names(['elastic', 'kibana_system', 'logstash_writer', 'anonymous'], ['jsmith'])),
    repository: names(['nightly', 's3-archive'], ['gcs-archive']),
    snapshot: joined('nightly-', day, '-', hex(10)),
    pool: names(['write', 'search', 'generic', 'flush'], ['snapshot']),
    collector: names(['young', 'old']),
    setting: names(
      ['cluster.routing.allocation.enable', 'indices.recovery.max_bytes_per_sec', 'logger.level'],
      ['search.max_buckets'],
    ),
    old: names(['all', '40mb', 'INFO', 'null']),
    plugin: names(
      ['repository-s3', 'x-pack-ml', 'x-pack-security', 'lang-painless', 'ingest-geoip', 'analysis-icu', 'reindex'],
      ['x-pack-esql'],
    ),
    field: names(['user.name', 'message', '@timestamp', 'host.ip', 'price'], ['voucher.code']),
    disk: joined('/usr/share/elasticsearch/data/', part(node, 3)),
    ...call,
    query: living(
      'query',
      5,
      joined(
        '{"size":',
        integer(0, 100),
        ',"query":{"match":{"',
        names(['message', 'name', 'sku']),
        '":{"query":"',
        names(['shoe', 'red dress', 'timeout'], ['voucher']),
        '"}}}}',
      ),
    ),
  },
  events: eventsOf(`
    170 INFO o.e.c.m.MetadataMappingService | [<index>/<id>] update_mapping [_doc]
     60 INFO o.e.c.m.MetadataMappingService | [<index>/<id>] create_mapping
     60 INFO o.e.c.m.MetadataCreateIndexService | [<index>] creating index, cause [<cause>], templates [<template>], shards [<few>]/[<few>]
    110 INFO o.e.x.i.IndexLifecycleTransition | moving index [<index>] from [<old_state>] to [<new_state>] in policy [<policy>]
    130 INFO o.e.m.j.JvmGcMonitorService | [gc][<n>] overhead, spent [<ms>] collecting in the last [<ms>]
     50 WARN o.e.m.j.JvmGcMonitorService | [gc][<n>] overhead, spent [<ms>] collecting in the last [<ms>]
     44 INFO o.e.m.j.JvmGcMonitorService | [gc][<collector>][<n>][<n>] duration [<ms>], collections [<few>]/[<ms>], total [<ms>]/[<ms>], memory [<size>]->[<size>]/[<size>], all_pools {[young] [<size>]->[<size>]/[0b]}{[old] [<size>]->[<size>]/[<size>]}{[survivor] [<size>]->[<size>]/[0b]}
    100 INFO o.e.c.r.a.AllocationService | current.health="<health>" message="Cluster health status changed from [<old_health>] to [<health>] (reason: [shards started [<shards>]])." previous.health="<old_health>" reason="shards started [<shards>]"
    120 WARN i.s.s.query | <shard> took[<ms>], took_millis[<n>], total_hits[<n> hits], stats[], search_type[QUERY_THEN_FETCH], total_shards[<few>], source[<query>], id[]
     40 TRACE i.i.s.index | <shard> took[<ms>], took_millis[<n>], type[_doc], id[<id>], routing[], source[{"<field>":"<user>"}]
     40 INFO o.e.c.s.ClusterApplierService | added {<peer>}, term: <few>, version: <n>, reason: ApplyCommitRequest{term=<few>, version=<n>, sourceNode=<peer>}
    !24 INFO o.e.c.s.ClusterApplierService | removed {<peer>}, term: <few>, version: <n>, reason: ApplyCommitRequest{term=<few>, version=<n>, sourceNode=<peer>}
      8 INFO o.e.c.s.MasterService | node-join[<peer> joining], term: <few>, version: <n>, delta: added {<peer>}
     !8 INFO o.e.c.s.MasterService | node-left[<peer> reason: disconnected], term: <few>, version: <n>, delta: removed {<peer>}
     !4 INFO o.e.c.s.MasterService | node-left[<peer> reason: followers check retry count exceeded [timeouts=<few>, failures=<few>]], term: <few>, version: <n>, delta: removed {<peer>}
     30 WARN o.e.c.s.MasterService | took [<ms>/<n>ms] to compute cluster state update for [<task>[<index>]], which exceeds the warn threshold of [10s]
     !6 WARN o.e.c.s.ClusterApplierService | cluster state applier task [ApplyCommitRequest{term=<few>, version=<n>, sourceNode=<peer>}] took [<ms>] which is above the warn threshold of [30s]: [running task [<task>]] took [<n>ms], [connecting to new nodes] took [<n>ms]
     24 WARN o.e.t.InboundHandler | handling request [InboundMessage{Header{<n>}{8.11.1}{<n>}{true}{false}{false}{false}{<rpc>}}] took [<n>ms] which is above the warn threshold of [5000ms]
     20 WARN o.e.t.TransportService | Received response for a request that has timed out, sent [<ms>/<n>ms] ago, timed out [<ms>/<n>ms] ago, action [<rpc>], node [<peer>], id [<n>]
     14 INFO o.e.t.ClusterConnectionManager | transport connection to [<peer>] closed by remote
    !14 WARN o.e.c.NodeConnectionsService | failed to connect to <peer> (tried [<few>] times)
      + trace - | org.elasticsearch.transport.ConnectTransportException: [<node>][<address>] connect_exception
      +4-9 frame - | at <frame>(<file>) <jar>
      + trace - | Caused by: io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: <address>
      + trace - | Caused by: java.net.ConnectException: Connection refused
      +3-6 frame - | at <frame>(<file>) <jar>
      + frame - | ... <few> more
     10 DEBUG o.e.a.s.TransportSearchAction | <shard>[<id>], node[<id>], [P], s[STARTED]: Failed to execute [SearchRequest{searchType=QUERY_THEN_FETCH, indices=[<index>], source=<query>}]
      + trace - | org.elasticsearch.transport.RemoteTransportException: [<node>][<address>][<rpc>]
      + trace - | Caused by: org.elasticsearch.index.query.QueryShardException: failed to create query: For input string: "<user>"
      +5-12 frame - | at <frame>(<file>) <jar>
      + trace - | Caused by: java.lang.NumberFormatException: For input string: "<user>"
      +2-4 frame - | at <frame>(<file>) <jar>
      + frame - | ... <few> more
    !12 WARN o.e.i.c.IndicesClusterStateService | <shard> marking and sending shard failed due to [failed recovery]
      + trace - | org.elasticsearch.indices.recovery.RecoveryFailedException: <shard>: Recovery failed from <peer> into <peer>
      +5-11 frame - | at <frame>(<file>) <jar>
    !6 WARN r.suppressed | path: /<index>/_search, params: {index=<index>}, status: 503
      + trace - | org.elasticsearch.action.search.SearchPhaseExecutionException: all shards failed
      +6-12 frame - | at <frame>(<file>) <jar>
    !6 WARN r.suppressed | path: /_bulk, params: {}, status: 429
      + trace - | org.elasticsearch.common.breaker.CircuitBreakingException: [parent] Data too large, data for [<rpc>] would be [<bytes>/<size>], which is larger than the limit of [<bytes>/<size>], real usage: [<bytes>/<size>], new bytes reserved: [<n>/<size>]
      +4-8 frame - | at <frame>(<file>) <jar>
    !4 ERROR o.e.i.e.Engine | <shard> failed engine [already closed by tragic event on the index writer]
      + trace - | java.io.IOException: No space left on device
      +6-10 frame - | at <frame>(<file>) <jar>
    !2 ERROR o.e.b.ElasticsearchUncaughtExceptionHandler | fatal error in thread [elasticsearch[<node>][<pool>][T#<few>]], exiting
      + trace - | java.lang.OutOfMemoryError: Java heap space
      +4-8 frame - | at <frame>(<file>) <jar>
    !4 WARN o.e.c.c.ClusterFormationFailureHelper | master not discovered or elected yet, an election requires at least <few> nodes with ids from [<id>, <id>, <id>], have discovered [<peer>] which is not a quorum; discovery will continue using [<address>] from hosts providers and [<peer>] from last-known cluster state; node term <few>, last-accepted version <n> in term <few>
     !4 INFO o.e.c.c.Coordinator | master node [<peer>] failed, restarting discovery
      6 INFO o.e.c.s.MasterService | elected-as-master ([<few>] nodes joined)[_FINISH_ELECTION_, <peer> completing election], term: <few>, version: <n>, delta: master node changed {previous [], current [<peer>]}
     !3 WARN o.e.c.c.FollowersChecker | [<peer>] failed [<few>] consecutive checks
     !3 WARN o.e.c.c.LagDetector | node [<peer>] is lagging at cluster state version [<n>], although publication of cluster state version [<n>] completed [<ms>] ago
     16 INFO o.e.c.r.a.DiskThresholdMonitor | low disk watermark [85%] exceeded on [<node_id>][<node>][<disk>] free: <size>[<pct>%], replicas will not be assigned to this node
     !9 WARN o.e.c.r.a.DiskThresholdMonitor | high disk watermark [90%] exceeded on [<node_id>][<node>][<disk>] free: <size>[<pct>%], shards will be relocated away from this node; currently relocating away shards totalling [<n>] bytes; the node is expected to continue to exceed the high disk watermark when these relocations are complete
     !4 WARN o.e.c.r.a.DiskThresholdMonitor | flood stage disk watermark [95%] exceeded on [<node_id>][<node>][<disk>] free: <size>[<pct>%], all indices on this node will be marked read-only
     !3 INFO o.e.c.r.a.DiskThresholdMonitor | releasing read-only block on indices [<indices>] since they are now allocated to nodes with sufficient disk space
     !5 WARN o.e.i.b.HierarchyCircuitBreakerService | [parent] attempting to trigger G1GC due to high heap usage [<bytes>]
      4 INFO o.e.i.b.HierarchyCircuitBreakerService | GC did bring memory usage down, before [<bytes>], after [<bytes>], allocations [<few>], duration [<n>]
     26 INFO o.e.c.s.ClusterSettings | updating [<setting>] from [<old>] to [<old>]
     20 INFO o.e.c.m.MetadataDeleteIndexService | [<index>/<id>] deleting index
     12 INFO o.e.c.m.MetadataIndexTemplateService | adding index template [<template>] for index patterns [<index>*]
      8 INFO o.e.c.m.MetadataIndexTemplateService | adding component template [<template>]
     10 INFO o.e.c.m.MetadataUpdateSettingsService | [<index>/<id>] updating number_of_replicas to [<few>] for indices [<index>]
     18 INFO o.e.s.SnapshotsService | snapshot [<repository>:<snapshot>/<id>] started
     18 INFO o.e.s.SnapshotsService | snapshot [<repository>:<snapshot>/<id>] completed with state [SUCCESS]
     !4 WARN o.e.s.SnapshotsService | snapshot [<repository>:<snapshot>/<id>] completed with state [PARTIAL]
     !3 WARN o.e.s.SnapshotShardsService | [<shard>][<repository>:<snapshot>/<id>] failed to snapshot shard
     12 INFO o.e.x.s.SnapshotRetentionTask | starting SLM retention snapshot cleanup task
     12 INFO o.e.x.s.SnapshotRetentionTask | there are no repositories to fetch, SLM retention snapshot cleanup task complete
     30 INFO o.e.x.s.a.RealmsAuthenticator | Authentication of [<user>] was terminated by realm [reserved] - failed to authenticate user [<user>]
     !3 WARN o.e.x.s.t.n.SecurityNetty4HttpServerTransport | received plaintext http traffic on an https channel, closing connection Netty4HttpChannel{localAddress=/<address>, remoteAddress=/<http>}
     10 WARN o.e.h.AbstractHttpServerTransport | caught exception while handling client http traffic, closing connection Netty4HttpChannel{localAddress=/<address>, remoteAddress=/<http>}
     22 WARN o.e.d.c.m.MetadataCreateIndexService | index name [<index>] starts with a dot '.', in the next major version, index names starting with a dot are reserved for hidden indices and system indices
     16 INFO o.e.i.g.DatabaseNodeService | successfully loaded geoip database file [GeoLite2-<repository>.mmdb]
      8 INFO o.e.i.g.GeoIpDownloader | geoip database [GeoLite2-City.mmdb] is up to date, updated timestamp
     !3 ERROR o.e.i.g.GeoIpDownloader | exception during geoip databases update
      + trace - | java.net.UnknownHostException: geoip.elastic.co
      +4-9 frame - | at <frame>(<file>) <jar>
     20 INFO o.e.p.PluginsService | loaded module [<plugin>]
      2 INFO o.e.e.NodeEnvironment | using [<few>] data paths, mounts [[/usr/share/elasticsearch/data (/dev/nvme1n1)]], net usable_space [<size>], net total_space [<size>], types [ext4]
      2 INFO o.e.e.NodeEnvironment | heap size [<size>], compressed ordinary object pointers [true]
      2 INFO o.e.n.Node | initialized
      2 INFO o.e.n.Node | started {<peer>}
      2 INFO o.e.t.TransportService | publish_address {<address>}, bound_addresses {0.0.0.0:9300}
      3 INFO o.e.g.GatewayService | recovered [<n>] indices into cluster_state
      2 INFO o.e.n.Node | closing ...
     !3 WARN o.e.g.PersistedClusterStateService | writing cluster state took [<n>ms] which is above the warn threshold of [10s]; wrote full state with [<n>] indices
     !5 WARN o.e.i.f.SyncedFlushService | <shard> can't to issue sync id [<id>] for out of sync replica [<shard>] with num docs [<n>]; num docs on primary [<n>]
     !4 WARN o.e.x.i.IndexLifecycleRunner | policy [<policy>] for index [<index>] failed on step [<new_state>]. Moving to ERROR step
      6 INFO o.e.x.m.p.l.CppLogMessageHandler | [controller/<n>] [Main.cc@<n>] controller (64 bit): Version 8.11.1 (Build <id>) Copyright (c) 2026 Elasticsearch BV
     !3 WARN o.e.t.ThreadPool | timer thread slept for [<ms>/<n>ms] on absolute clock which is above the warn threshold of [5000ms]
     !3 WARN o.e.a.b.TransportShardBulkAction | [<shard>] failed to perform <rpc> on replica <shard>, node[<id>], [R], s[STARTED], a[id=<id>]
     !3 DEBUG o.e.a.b.TransportShardBulkAction | <shard> failed to execute bulk item (index) index {[<index>][<id>], source[n/a, actual length: [<size>], max length: 2kb]}
      + trace - | org.elasticsearch.index.mapper.MapperParsingException: failed to parse field [<field>] of type [long] in document with id '<id>'. Preview of field's value: '<user>'
      +5-10 frame - | at <frame>(<file>) <jar>
  `),
}
