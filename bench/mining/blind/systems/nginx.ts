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
  publicAddress,
  shared,
  stampOf,
  uuid,
} from '../values.ts'

const clients = shared('client', oneOf(living('client', 60, publicAddress), address))
const host = shared(
  'host',
  names(
    ['www.example.com', 'api.example.com', 'shop.example.org', 'static.example.com'],
    ['beta.example.com', 'www.shop.test'],
  ),
)
const upstream = names(
  ['10.2.0.11:8080', '10.2.0.12:8080', 'unix:/run/php/php8.2-fpm.sock', '10.2.1.7:3000'],
  ['10.2.0.31:8080'],
)
const slug = names(
  ['orders', 'products', 'login', 'cart', 'search', 'users/me', 'health', 'invoices', 'sitemap.xml', 'favicon.ico'],
  ['vouchers', 'v2/checkout', 'returns', '.env', 'wp-login.php'],
)
const query = joined('?page=', integer(1, 40), '&sort=', names(['price', 'name', '-created']))
const path = shared(
  'path',
  oneOf(
    joined('/', slug),
    joined('/api/', slug, '/', count(900_000)),
    joined('/api/', slug, '/', uuid),
    joined('/', slug, query),
    joined('/static/js/', slug, '.', hex(8), '.js'),
    joined('/images/', hex(6), names(['.png', '.webp', '.jpg'])),
    () => '/',
  ),
)
const agent = names(
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36',
    'kube-probe/1.29',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.3 Mobile/15E148 Safari/604.1',
    'Go-http-client/1.1',
    'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0',
    'curl/8.5.0',
    'Prometheus/2.49.1',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    '-',
    'okhttp/4.12.0',
  ],
  ['python-requests/2.31.0', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'Wget/1.21.4'],
)

/** Access log in the `combined` format and error log of nginx 1.24, as a container writes both to one stream. */
export const nginx: System = {
  name: 'nginx',
  header({ cells: [level] }, draw) {
    const { year, month, name, day, clock } = stampOf(draw)
    const user = draw.random.chance(0.04) ? names(['admin', 'deploy'], ['jsmith'])(draw) : '-'
    if (level === 'access') return `${clients(draw)} - ${user} [${day}/${name}/${year}:${clock} +0000] `
    const worker = living('worker', 4, integer(20, 40))(draw)
    return `${year}/${month}/${day} ${clock} [${level}] ${worker}#${worker}: `
  },
  values: {
    path,
    status: names(['200', '304', '404', '301', '302', '499', '403'], ['429', '503']),
    made: names(['201', '200', '204', '400', '422'], ['409']),
    http: names(['1.1', '2.0', '1.0']),
    bytes: count(900_000),
    referer: oneOf(() => '-', joined('https://', host, '/', slug)),
    agent,
    c: count(4_000_000),
    n: count(900),
    pid: integer(20, 900),
    client: clients,
    host,
    upstream,
    file: joined('/usr/share/nginx/html/', slug),
    zone: names(['perip', 'login', 'api'], ['search']),
    sent: count(60_000_000),
    temp: joined(
      '/var/cache/nginx/',
      names(['client_temp', 'proxy_temp']),
      '/',
      integer(0, 9),
      '/',
      integer(10, 99),
      '/00000',
      integer(10_000, 99_999),
    ),
    excess: joined(integer(0, 40), '.', integer(100, 999)),
    user: names(['admin', 'deploy', 'root'], ['guest']),
    script: joined('/var/www/app/', names(['index.php', 'cron.php'], ['import.php'])),
    raw: (draw) => names(['\\x16\\x03\\x01', '\\x03\\x00\\x00/*\\xE0', 'GET'])(draw),
  },
  events: eventsOf(`
    760 access | "GET <path> HTTP/<http>" <status> <bytes> "<referer>" "<agent>"
    190 access | "POST <path> HTTP/<http>" <made> <bytes> "<referer>" "<agent>"
     50 access | "PUT <path> HTTP/<http>" <made> <bytes> "<referer>" "<agent>"
     34 access | "HEAD <path> HTTP/<http>" <status> 0 "-" "<agent>"
     24 access | "OPTIONS <path> HTTP/<http>" 204 0 "<referer>" "<agent>"
    !16 access | "DELETE <path> HTTP/<http>" <made> <bytes> "<referer>" "<agent>"
     !9 access | "PATCH <path> HTTP/<http>" <made> <bytes> "<referer>" "<agent>"
      4 access | "<raw>" 400 <n> "-" "-"
     !2 access | "CONNECT <host>:443 HTTP/<http>" 405 <n> "-" "<agent>"
     !2 access | "PROPFIND / HTTP/<http>" 405 <n> "-" "<agent>"
    180 error | *<c> open() "<file>" failed (2: No such file or directory), client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     70 error | *<c> open() "<file>" failed (2: No such file or directory), client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>", referrer: "https://<host>/"
    !12 error | *<c> open() "<file>" failed (13: Permission denied), client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
    110 warn | *<c> a client request body is buffered to a temporary file <temp>, client: <client>, server: <host>, request: "POST <path> HTTP/<http>", host: "<host>"
     80 warn | *<c> an upstream response is buffered to a temporary file <temp> while reading upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     70 info | *<c> client <client> closed keepalive connection
     40 info | *<c> client prematurely closed connection, so upstream connection is closed too while sending request to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     30 info | *<c> recv() failed (104: Connection reset by peer) while waiting for request, client: <client>, server: 0.0.0.0:443
     !9 info | *<c> recv() failed (104: Connection reset by peer) while sending to client, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     28 info | *<c> SSL_do_handshake() failed (SSL: error:0A00006C:SSL routines::bad key share) while SSL handshaking, client: <client>, server: 0.0.0.0:443
    !14 crit | *<c> SSL_do_handshake() failed (SSL: error:0A000076:SSL routines::no suitable signature algorithm) while SSL handshaking, client: <client>, server: 0.0.0.0:443
     10 info | *<c> SSL_do_handshake() failed (SSL: error:0A000102:SSL routines::unsupported protocol) while SSL handshaking, client: <client>, server: 0.0.0.0:443
     18 info | *<c> peer closed connection in SSL handshake while SSL handshaking, client: <client>, server: 0.0.0.0:443
      8 info | *<c> peer closed connection in SSL handshake (104: Connection reset by peer) while SSL handshaking, client: <client>, server: 0.0.0.0:443
    !26 error | *<c> connect() failed (111: Connection refused) while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !9 error | *<c> connect() failed (111: Connection refused) while connecting to upstream, client: <client>, server: <host>, request: "POST <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !6 error | *<c> connect() failed (113: Host is unreachable) while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !4 crit | *<c> connect() to unix:/run/php/php8.2-fpm.sock failed (2: No such file or directory) while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "fastcgi://unix:/run/php/php8.2-fpm.sock:", host: "<host>"
     !4 error | *<c> connect() to unix:/run/php/php8.2-fpm.sock failed (11: Resource temporarily unavailable) while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "fastcgi://unix:/run/php/php8.2-fpm.sock:", host: "<host>"
    !16 error | *<c> upstream timed out (110: Connection timed out) while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !7 error | *<c> upstream timed out (110: Connection timed out) while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !9 error | *<c> upstream prematurely closed connection while reading response header from upstream, client: <client>, server: <host>, request: "POST <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !5 error | *<c> upstream sent too big header while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !4 error | *<c> upstream sent invalid header while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !6 error | *<c> no live upstreams while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<zone><path>", host: "<host>"
     14 warn | *<c> upstream server temporarily disabled while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !8 error | *<c> FastCGI sent in stderr: "PHP message: PHP Warning:  Undefined array key "<user>" in <script> on line <n>" while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "fastcgi://<upstream>:", host: "<host>"
     !4 error | *<c> FastCGI sent in stderr: "PHP message: PHP Fatal error:  Allowed memory size of <sent> bytes exhausted (tried to allocate <bytes> bytes) in <script> on line <n>" while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "fastcgi://<upstream>:", host: "<host>"
     !4 error | *<c> FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "fastcgi://<upstream>:", host: "<host>"
     30 error | *<c> limiting requests, excess: <excess> by zone "<zone>", client: <client>, server: <host>, request: "POST <path> HTTP/<http>", host: "<host>"
     16 warn | *<c> delaying request, excess: <excess>, by zone "<zone>", client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     !5 error | *<c> limiting connections by zone "<zone>", client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
    !12 error | *<c> client intended to send too large body: <sent> bytes, client: <client>, server: <host>, request: "POST <path> HTTP/<http>", host: "<host>"
     !7 error | *<c> access forbidden by rule, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     !6 error | *<c> directory index of "<file>/" is forbidden, client: <client>, server: <host>, request: "GET / HTTP/<http>", host: "<host>"
     !5 error | *<c> user "<user>" was not found in "/etc/nginx/.htpasswd", client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     !5 error | *<c> user "<user>": password mismatch, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     !3 error | *<c> no user/password was provided for basic authentication, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
     !3 error | *<c> rewrite or internal redirection cycle while internally redirecting to "/index.html", client: <client>, server: <host>, request: "GET <path> HTTP/<http>", host: "<host>"
      6 info | *<c> client sent invalid method while reading client request line, client: <client>, server: <host>, request: "<raw>"
      3 info | *<c> client sent invalid request while reading client request line, client: <client>, server: <host>, request: "<raw> / HTTP/<http>"
      4 info | *<c> client timed out (110: Connection timed out) while waiting for request, client: <client>, server: 0.0.0.0:80
     !2 crit | *<c> pwrite() "<temp>" failed (28: No space left on device), client: <client>, server: <host>, request: "POST <path> HTTP/<http>", host: "<host>"
     !2 alert | *<c> <n> worker_connections are not enough while connecting to upstream, client: <client>, server: <host>, request: "GET <path> HTTP/<http>", upstream: "http://<upstream><path>", host: "<host>"
     !2 warn | <n> worker_connections exceed open file resource limit: <bytes>
     !1 crit | accept4() failed (24: Too many open files)
     !1 emerg | bind() to 0.0.0.0:80 failed (98: Address already in use)
     !1 emerg | host not found in upstream "<host>" in /etc/nginx/conf.d/default.conf:<n>
     !2 alert | worker process <pid> exited on signal 11
      6 notice | signal 1 (SIGHUP) received from <pid>, reconfiguring
      6 notice | reconfiguring
      6 notice | using the "epoll" event method
     14 notice | start worker process <pid>
      4 notice | start cache manager process <pid>
     12 notice | gracefully shutting down
     12 notice | exiting
     12 notice | exit
      8 notice | signal 17 (SIGCHLD) received from <pid>
      8 notice | worker process <pid> exited with code 0
     10 notice | signal 29 (SIGIO) received
      2 notice | OS: Linux 5.15.<n>-generic
      2 notice | getrlimit(RLIMIT_NOFILE): <bytes>:<bytes>
      3 notice | signal 3 (SIGQUIT) received, shutting down
      2 warn | conflicting server name "<host>" on 0.0.0.0:80, ignored
      2 warn | "ssl_stapling" ignored, issuer certificate not found for certificate "/etc/nginx/tls/<host>.pem"
  `),
}
