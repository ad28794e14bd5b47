import { eventsOf, type System } from '../event.ts'
import {
  address,
  count,
  hex,
  integer,
  joined,
  living,
  names,
  oneOf,
  part,
  port,
  shared,
  stampOf,
  uuid,
} from '../values.ts'

const process = living('pid', 40, joined('<0.', integer(200, 40_000), '.', integer(0, 3), '>'))
/** Connections: process, client's address, own address, virtual host, user and the client's name. */
const connection = shared(
  'connection',
  living(
    'connection',
    60,
    joined(
      process,
      '|',
      address,
      ':',
      port,
      '|10.4.0.',
      integer(2, 6),
      ':',
      names(['5672', '5671', '1883']),
      '|',
      names(
        ['orders|orders', 'billing|billing', '/|mailer', '/|monitoring', 'staging|orders'],
        ['returns|returns', '/|jsmith'],
      ),
      '|',
      oneOf(
        names(['orders-api', 'mailer#0', 'celery@worker-3'], ['returns-api']),
        () => '',
        () => '',
        uuid,
      ),
    ),
  ),
)
const queue = shared(
  'queue',
  names(
    ['orders.created', 'orders.paid', 'mail.outgoing', 'stock.reserve', 'celery', 'audit', 'dead_letters'],
    ['vouchers.issued', 'returns.opened', 'search.reindex'],
  ),
)
const generated = joined('amq.gen-', hex(22))
const node = names(['rabbit@rabbit-0', 'rabbit@rabbit-1', 'rabbit@rabbit-2'], ['rabbit@rabbit-3'])
const plugin = names(
  ['rabbitmq_management', 'rabbitmq_prometheus', 'rabbitmq_shovel', 'rabbitmq_federation'],
  ['rabbitmq_stream'],
)

/** The log of a RabbitMQ 3.12 node. Each line of a longer message has the header. */
export const rabbitmq: System = {
  name: 'RabbitMQ',
  header({ cells: [level] }, draw) {
    const { year, month, day, clock, micros } = stampOf(draw)
    return `${year}-${month}-${day} ${clock}.${micros}+00:00 [${level}] ${part(connection, 0)(draw)} `
  },
  values: {
    pid: process,
    connection: part(connection, 0),
    peer: part(connection, 1),
    self: part(connection, 2),
    vhost: part(connection, 3),
    queue: oneOf(queue, queue, queue, generated),
    plain_queue: queue,
    exchange: names(['orders', 'events', 'amq.topic', 'retry'], ['vouchers']),
    node,
    user: part(connection, 4),
    client: (draw) => part(connection, 5)(draw) || 'undefined',
    // A name that the client gave becomes part of the connection's.
    name: (draw) => {
      const [, peer, self, , , client] = connection(draw).split('|')
      return `${peer} -> ${self}${client ? ` - ${client}` : ''}`
    },
    n: count(90_000),
    few: count(60),
    channel: integer(1, 16),
    bytes: count(4_000_000_000),
    reason: names(['shutdown', 'normal', 'noproc', 'killed'], ['econnrefused']),
    plugin,
    policy: names(['ha-all', 'ttl-mail', 'lazy'], ['dlx-returns']),
    tag: oneOf(joined('amq.ctag-', hex(22)), joined('ctag', integer(1, 9), '.', hex(12)), names(['None1', 'celery1'])),
    key: names(['orders.created', 'orders.*', 'mail.#', '#'], ['vouchers.#']),
    id: hex(20),
    path: joined('/var/lib/rabbitmq/mnesia/rabbit@rabbit-0/msg_stores/vhosts/', hex(25)),
    table: names(['rabbit_durable_queue', 'rabbit_user', 'mnesia_gvar'], ['rabbit_runtime_parameters']),
    module: names(
      ['rabbit_channel', 'rabbit_amqqueue_process', 'rabbit_reader', 'gen_server2'],
      ['rabbit_fifo_client'],
    ),
    function: names(['handle_method/6', 'terminate/3', 'process_routing_mandatory/4', 'init_it/6', 'loop/1']),
    ref: joined('#Ref<0.', count(4_000_000_000), '.', count(4_000_000_000), '.', count(90_000), '>'),
    state: names(['running', 'tuned', 'closing', 'closed']),
  },
  events: eventsOf(`
    300 info | accepting AMQP connection <connection> (<peer> -> <self>)
    360 info | connection <connection> (<name>): user '<user>' authenticated and granted access to vhost '<vhost>'
     90 info | Connection <connection> (<name>) has a client-provided name: <client>
    300 info | closing AMQP connection <connection> (<name>, vhost: '<vhost>', user: '<user>')
    144 warning | closing AMQP connection <connection> (<name>, vhost: '<vhost>', user: '<user>'):
      + warning | client unexpectedly closed TCP connection
     20 error | closing AMQP connection <connection> (<name>):
      + error | missed heartbeats from client, timeout: <few>s
    !14 error | closing AMQP connection <connection> (<name>):
      + error | {handshake_timeout,frame_header}
    !9 error | closing AMQP connection <connection> (<name>):
      + error | {bad_header,<<22,3,1,<few>,<few>,1,<few>,<few>>>}
    !8 error | closing AMQP connection <connection> (<name>):
      + error | {inet_error,etimedout}
     16 error | PLAIN login refused: user '<user>' - invalid credentials
      + error | Error on AMQP connection <connection> (<name>, state: starting):
      + error | PLAIN login refused: user '<user>' - invalid credentials
    !4 error | Error on AMQP connection <connection> (<name>, user: '<user>', state: opening):
      + error | access to vhost '<vhost>' refused for user '<user>'
    !3 error | Error on AMQP connection <connection> (<name>, user: '<user>', state: opening):
      + error | vhost <vhost> not found
    !16 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation queue.declare caused a channel exception precondition_failed: inequivalent arg 'durable' for queue '<plain_queue>' in vhost '<vhost>': received 'false' but current is 'true'
    !12 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation basic.consume caused a channel exception not_found: no queue '<queue>' in vhost '<vhost>'
    !9 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation none caused a channel exception precondition_failed: consumer ack timed out on channel <channel>
    !8 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation basic.publish caused a channel exception not_found: no exchange '<exchange>' in vhost '<vhost>'
    !6 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation basic.ack caused a channel exception precondition_failed: unknown delivery tag <n>
    !5 error | Channel error on connection <connection> (<name>, vhost: '<vhost>', user: '<user>'), channel <channel>:
      + error | operation queue.delete caused a channel exception resource_locked: cannot obtain exclusive access to locked queue '<queue>' in vhost '<vhost>'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.
     20 warning | Consumer <tag> on channel <channel> has timed out waiting for delivery acknowledgement. Timeout used: <n> ms. This timeout value can be configured, see consumers doc guide to learn more
     14 info | Setting segment_entry_count for vhost '<vhost>' with <n> queues to '<n>'
     14 info | Starting message stores for vhost '<vhost>'
     14 info | Message store "<id>/msg_store_transient": using rabbit_msg_store_ets_index to provide index
     14 info | Message store "<id>/msg_store_persistent": using rabbit_msg_store_ets_index to provide index
     12 info | Started message store of type transient for vhost '<vhost>'
     12 info | Started message store of type persistent for vhost '<vhost>'
      8 info | Recovering <n> queues of type rabbit_classic_queue took <n>ms
      8 info | Recovering <n> queues of type rabbit_quorum_queue took <n>ms
      3 info | Making sure data directory '<path>' for vhost '<vhost>' exists
    !5 warning | Message store "<id>/msg_store_persistent": rebuilding indices from scratch
     14 info | node <node> up
     10 info | rabbit on node <node> up
     !6 info | rabbit on node <node> down
     !6 info | node <node> down: connection_closed
     !3 info | node <node> down: net_tick_timeout
     !2 error | ** Node <node> not responding **
      + error | ** Removing (timedout) connection **
     !2 error | Mnesia(<node>): ** ERROR ** mnesia_event got {inconsistent_database, running_partitioned_network, <node>}
     !1 error | Partial partition detected:
      + error | * We saw DOWN from <node>
      + error | * We can still see <node> which can see <node>
     !1 warning | Cluster minority/secondary status detected - awaiting recovery
     30 info | queue '<plain_queue>' in vhost '<vhost>': segment file indices during consumer recovery: <few>
     22 debug | Raft node '<plain_queue>' in vhost '<vhost>' became leader in term <few>
     16 info | queue '<plain_queue>' in vhost '<vhost>': candidate -> leader in term: <few> machine version: <few>
     12 info | queue '<plain_queue>' in vhost '<vhost>': follower did not receive messages from leader <node>, starting pre_vote election in term <few>
     10 info | queue '<plain_queue>' in vhost '<vhost>': detected a new leader {'<vhost>_<plain_queue>','<node>'} in term <few>
     !5 warning | queue '<plain_queue>' in vhost '<vhost>': granting vote for {'<vhost>_<plain_queue>','<node>'} with last indexterm <n> for term <few> previous term was <few>
     12 info | Mirrored queue '<plain_queue>' in vhost '<vhost>': Adding mirror on node <node>: <pid>
     10 info | Mirrored queue '<plain_queue>' in vhost '<vhost>': Synchronising: <n> messages to synchronise
     10 info | Mirrored queue '<plain_queue>' in vhost '<vhost>': Synchronising: complete
     !4 warning | Mirrored queue '<plain_queue>' in vhost '<vhost>': Synchronising: mirror <pid> died
     !4 warning | Mirrored queue '<plain_queue>' in vhost '<vhost>': Promoting mirror <pid> to leader
     !3 warning | Mirrored queue '<plain_queue>' in vhost '<vhost>': Stopping all nodes on leader shutdown since no synchronised mirror is available
      8 info | vm_memory_high_watermark clear. Memory used:<bytes> allowed:<bytes>
     !8 info | vm_memory_high_watermark set. Memory used:<bytes> allowed:<bytes>
      + warning | memory resource limit alarm set on node <node>.
      + warning | **********************************************************
      + warning | *** Publishers will be blocked until this alarm clears ***
      + warning | **********************************************************
      5 warning | memory resource limit alarm cleared on node <node>
     !2 info | Free disk space is insufficient. Free bytes: <bytes>. Limit: <bytes>
      + warning | disk resource limit alarm set on node <node>.
      1 info | Free disk space is sufficient. Free bytes: <bytes>. Limit: <bytes>
      5 info | Disk free limit set to <few>MB
      5 info | Memory high watermark set to <few> MiB (<bytes> bytes) of <n> MiB (<bytes> bytes) total
     !3 warning | file descriptor limit alarm set.
      2 warning | file descriptor limit alarm cleared
     14 info | Policy '<policy>' set in vhost '<vhost>' for pattern '<key>', applying to queues
      6 info | Successfully set user tags for user '<user>' to [<reason>]
      6 info | Created user '<user>'
      6 info | Successfully changed password for user '<user>'
      4 info | Deleted user '<user>'
      6 info | Adding vhost '<vhost>' (description: '<vhost>', tags: [])
     10 info | Successfully set permissions for '<user>' in virtual host '<vhost>' to '.*', '.*', '.*'
      8 warning | HTTP access denied: user '<user>' - invalid credentials
     !4 warning | HTTP access denied: user '<user>' - User can only log in via localhost
      8 info | Plugin <plugin> is enabled and started
      3 info | Server startup complete; <few> plugins started.
      3 info | Management plugin: using rates mode 'basic'
      3 info | Prometheus metrics: HTTP (non-TLS) listener started on port <n>
      6 info | started TCP listener on [::]:<n>
      2 info | stopped TCP listener on [::]:<n>
      3 info | Ready to start client connection listeners
      3 info | Running boot step <module> defined by app rabbit
      4 info | Waiting for Mnesia tables for <n> ms, <few> retries left
     !2 warning | Error while waiting for Mnesia tables: {timeout_waiting_for_tables,['<node>'],[<table>]}
      3 info | Peer discovery backend rabbit_peer_discovery_k8s supports registration.
     !3 error | Supervisor {<pid>,rabbit_channel_sup_sup} had child channel_sup started with rabbit_channel_sup:start_link() at undefined exit with reason <reason> in context shutdown_error
     !4 error | ** Generic server <pid> terminating
      + error | ** Last message in was {'$gen_cast',{method,{'basic.publish',0,<<"<exchange>">>,<<"<key>">>,false,false},none,noflow}}
      + error | ** When Server state == {ch,{conf,<state>,rabbit_framing_amqp_0_9_1,<channel>,<pid>,<pid>}}
      + error | ** Reason for termination ==
      + error | ** {{badmatch,{error,<reason>}},
      +3-8 error | [{<module>,<function>,[{file,"<module>.erl"},{line,<n>}]},
      + error | {proc_lib,init_p_do_apply,3,[{file,"proc_lib.erl"},{line,<n>}]}]}
     !3 error | crasher:
      + error | initial call: <module>:init/1
      + error | pid: <pid>
      + error | registered_name: []
      + error | exception exit: <reason>
      + error | ancestors: [<pid>,<pid>,rabbit_sup]
      + error | message_queue_len: <few>
      + error | heap_size: <n>
      + error | reductions: <n>
      + error | neighbours:
     !2 error | Discarding message {'$gen_call',{<pid>,<ref>},stop_and_restart_acceptor} from <pid> to <pid> in an old incarnation (<bytes>) of this node (<few>)
     !4 warning | Shovel '<policy>' in virtual host '<vhost>' is stopping: <reason>
      6 info | Asked to (re-)start a dynamic Shovel named '<policy>' in virtual host '<vhost>'
     !3 warning | TLS server: In state hello received CLIENT ALERT: Fatal - Certificate Unknown
     !3 notice | TLS server: In state wait_finished at ssl_handshake.erl:<n> generated SERVER ALERT: Fatal - Handshake Failure
     10 info | MQTT accepting TCP connection <connection> (<peer> -> <self>)
      8 info | MQTT connection <connection> (<peer> -> <self>) will terminate because peer closed TCP connection
     !3 error | MQTT detected network error on connection <peer> -> <self>: <reason>
  `),
}
