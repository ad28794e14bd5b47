// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, issuesOf, load } from './setup.ts'

describe('keys that depend on each other', () => {
  it('an enabled channel names each key it lacks, and the variable', () => {
    assert.deepEqual(issuesOf('alert:\n  chatws: {enable: true}\n'), [
      'config.yaml:2: alert.chatws.token: is missing, but chatws is enabled; set it or CHATWS_TOKEN',
      'config.yaml:2: alert.chatws.channel_id: is missing, but chatws is enabled; set it or CHATWS_CHANNEL_ID',
    ])
    const lacking: [yaml: string, ...keys: string[]][] = [
      ['alert: {msgapp: {enable: true}}', 'token', 'channel_id'],
      ['alert: {messenger: {enable: true}}', 'token', 'channel_id'],
      ['alert: {officechat: {enable: true}}', 'flow_url'],
      ['alert: {email: {enable: true}}', 'smtp_host', 'to', 'from'],
    ]
    for (const [yaml, ...keys] of lacking)
      assert.deepEqual(
        issuesOf(yaml).map((issue) => issue.split(': ')[1]?.split('.')[2]),
        keys,
      )
  })
  it('blames the variable that enables the channel when there is no file', () => {
    assert.match(issueOf('', { env: { OFFICECHAT_ENABLE: 'true' } }), /OFFICECHAT_FLOW_URL/)
  })
  it('workchat needs a token or webhook_url', () => {
    assert.match(
      issueOf('alert: {workchat: {enable: true}}'),
      /workchat\.token: is missing, and so is alert\.workchat\.webhook_url/,
    )
    load('alert: {workchat: {enable: true, token: t}}')
    load('alert: {workchat: {enable: true, webhook_url: "https://a/hook"}}')
  })
  it('email uses its username as the sender', () => {
    load('alert: {email: {enable: true, smtp_host: a, to: b@c, username: d@e}}')
  })
  it('a channel needs its keys only when it is on', () => {
    load('alert: {chatws: {enable: false}}')
    const chatws = 'enable: true, token: a, channel_id: C, api_url: slack.com'
    assert.match(issueOf(`alert: {chatws: {${chatws}}}`), /chatws\.api_url: must be an address/)
    const officechat = 'enable: true, flow_url: "file:///etc/passwd"'
    assert.match(issueOf(`alert: {officechat: {${officechat}}}`), /flow_url: must be an address/)
  })
  it('a channel takes ids of requests only when senders present a token', () => {
    const chatws = 'alert: {chatws: {enable: true, token: a, channel_id: C, accept_ids: true}}'
    assert.match(issueOf(chatws), /chatws\.accept_ids: needs http\.intake_token/)
    load(`http: {intake_token: long-enough-token}\n${chatws}`)
    load('alert: {chatws: {accept_ids: true}}')
  })
  it('on-call needs the keys of its provider only', () => {
    assert.match(
      issueOf('oncall: {enable: true}'),
      /oncall\.webhook\.url: is missing, but oncall is enabled with the provider webhook/,
    )
    assert.match(issueOf('oncall: {enable: true, provider: pagerduty}'), /oncall\.pagerduty\.routing_key/)
    assert.equal(issuesOf('oncall: {enable: true, provider: incident_io}').length, 2)
    assert.equal(issuesOf('oncall: {enable: true, provider: aws_incident_manager}').length, 2)
    const plan = 'response_plan_arn: "arn:aws:ssm-incidents::111122223333:response-plan/main", region: eu-north-1'
    const aws = (keys: string) =>
      `oncall: {enable: true, provider: aws_incident_manager, aws_incident_manager: {${keys}}}`
    load(aws(plan))
    assert.match(issueOf(aws(`${plan}, access_key_id: AKIA`)), /secret_access_key: is missing, but the other half/)
    assert.match(issueOf(aws(`${plan}/../x`)), /region: must be an AWS region/)
    assert.match(issueOf(aws('response_plan_arn: main, region: eu-north-1')), /must be the ARN of a response plan/)
    assert.match(
      issuesOf('oncall: {enable: true, provider: servicenow}').join(),
      /password: is missing, and so is .*token/,
    )
    const now =
      'oncall: {enable: true, provider: servicenow, public_host: "http://a", servicenow: {instance_url: "http://n", token: t}}'
    assert.match(load(now).warnings.join(), /instance_url: is not https, so the password travels in clear/)
    assert.match(issueOf(now.replace('token: t', 'token: t, table: ../x')), /table: must be the name of a table/)
    load('oncall: {enable: true, webhook: {url: "http://a"}}')
    load('oncall: {provider: pagerduty}')
    assert.match(
      issueOf('oncall: {enable: true, provider: pager}'),
      /must be one of webhook, pagerduty, incident_io, aws_incident_manager, servicenow/,
    )
  })
  it('topic intake needs its topic and its address, and both halves of a key or none', () => {
    assert.equal(issuesOf('topicsvc: {enable: true}').length, 2)
    const whole =
      'enable: true, topic_arn: "arn:aws:sns:eu-north-1:123456789012:a", https_endpoint_subscription: "https://a"'
    load(`topicsvc: {${whole}}`)
    for (const path of [
      'sns',
      '/',
      '/a/../b',
      '/a//b',
      '/sns/',
      '/:id',
      '/*',
      '/api/incidents',
      '/healthz',
      '/sns?a b',
    ])
      issueOf(`topicsvc: {${whole}, https_endpoint_subscription_path: "${path}"}`)
    issueOf(`topicsvc: {${whole.replace(':sns:', ':sqs:')}}`)
    const inClear = whole.replace('https:', 'http:')
    assert.equal(load(`topicsvc: {${inClear}, raw_delivery: true}`).warnings.length, 2)
    assert.match(issueOf(`topicsvc: {${whole}}`, { env: { CLOUD_ACCESS_KEY_ID: 'k' } }), /CLOUD_SECRET_ACCESS_KEY/)
  })
  it('warn when a secret cannot be sent in every header', () => {
    for (const secret of ['geheim-é', ' led by a space', 'followed by one ', 'a\\ttab-in-it'])
      for (const keys of [`gateway_secret: "${secret}"`, `http: {intake_token: "${secret}"}`])
        assert.match(load(keys).warnings.join(), /printable ASCII/, keys)
    assert.match(load('http: {intake_token: two words}').warnings.join(), /printable ASCII/)
    assert.deepEqual(load('gateway_secret: "~all/of it=is_plain!"').warnings, [])
  })

  it('warn when a mail password may go out in clear', () => {
    const warned = (keys: string) =>
      load(`alert: {email: {enable: true, smtp_host: mx, to: a@b, from: a@b, ${keys}}}`).warnings
    assert.match(warned('password: hush').join(), /alert\.email\.tls.*in clear/)
    for (const safe of ['password: hush, tls: require', 'password: hush, smtp_port: 465', 'tls: opportunistic'])
      assert.deepEqual(warned(safe), [], safe)
  })

  it('the model needs a key while the agent is enabled and asks it', () => {
    assert.match(
      issueOf('agent: {enable: true, sources: [{name: a, type: http}], ai: {enable: true}}'),
      /agent\.ai\.api_key.*AGENT_AI_API_KEY/,
    )
    load('agent: {enable: false, ai: {enable: true}}')
    load('agent: {enable: true, ai: {enable: true, backend: ./mine.ts}}')
  })
  it('metrics.port must differ from the main port', () => {
    assert.match(
      issueOf('port: 3000\nmetrics: {port: 3000}'),
      /config\.yaml:2: metrics\.port: is the main port already/,
    )
  })
})

describe('log sources', () => {
  it('need the keys of their type, and different names', () => {
    const yaml = `agent:
  enable: true
  sources:
    - {name: a, type: file}
    - {name: a, type: loki, loki: {address: "http://l"}}
    - {type: tape}
    - {name: off, type: elasticsearch, enable: false}
`
    assert.deepEqual(issuesOf(yaml), [
      'config.yaml:4: agent.sources.0.file.path: is missing: a source of type file needs it',
      'config.yaml:5: agent.sources.1.name: is also the name of agent.sources.0: give each its own',
      'config.yaml:5: agent.sources.1.loki.query: is missing: a source of type loki needs it',
      'config.yaml:6: agent.sources.2.name: must be text (nothing is given)',
      'config.yaml:6: agent.sources.2.type: must be one of file, http, otlp, loki, elasticsearch (got "tape")',
    ])
  })
  it('of Loki may name a tenant, in characters that a header can carry', () => {
    const source = (tenant: string) =>
      `agent: {enable: true, sources: [{name: a, type: loki, loki: {address: "http://l", query: "{}", tenant_id: "${tenant}"}}]}`
    assert.equal(load(source('team-a|team-b')).config.agent.sources[0]?.loki.tenantId, 'team-a|team-b')
    assert.match(issueOf(source('a\\nX-Other: b')), /tenant_id: must be printable ASCII/)
  })
  it('may come from another file, whose lines are named', () => {
    const yaml = 'agent: {enable: true, sources_path: sources.yaml}'
    const bare = '- {name: app, type: file, file: {path: "${LOGS}/app.log"}}\n'
    for (const text of [bare, `sources:\n  ${bare}`]) {
      const { config } = load(yaml, { files: { 'sources.yaml': text }, env: { LOGS: '/var' } })
      assert.equal(config.agent.sources[0]?.file.path, '/var/app.log')
    }
    assert.match(issueOf(yaml), /^sources\.yaml: cannot be read: it does not exist$/)
    assert.equal(
      issueOf(yaml, { files: { 'sources.yaml': 'sources:\n  - name: a\n    type: tape\n' } }),
      'sources.yaml:3: agent.sources.0.type: must be one of file, http, otlp, loki, elasticsearch (got "tape")',
    )
    assert.match(
      issueOf(`${yaml.slice(0, -1)}, sources: [{name: a, type: http}]}`, { files: { 'sources.yaml': bare } }),
      /keep one of the two/,
    )
    const off = 'agent: {sources_path: sources.yaml}'
    assert.deepEqual(load(off, { files: { 'sources.yaml': '- {name: a, type: http, tpye: 1}' } }).warnings, [
      'sources.yaml:1: agent.sources.0.tpye: "tpye" is not known; did you mean "type"?',
    ])
  })
})

describe('doubtful settings warn', () => {
  it('about a short gateway secret or intake token, without showing it', () => {
    assert.deepEqual(load('gateway_secret: abc1234').warnings, [
      'config.yaml:1: gateway_secret: is shorter than 8 characters, so it is easily guessed: make it longer',
    ])
    assert.deepEqual(load('gateway_secret: abcd1234').warnings, [])
    assert.deepEqual(load('http: {intake_token: abc1234}').warnings, [
      'config.yaml:1: http.intake_token: is shorter than 8 characters, so it is easily guessed: make it longer',
    ])
  })
  it('about on-call without an address for its links', () => {
    const oncall = 'oncall: {enable: true, webhook: {url: "http://a"}}\n'
    assert.match(load(oncall).warnings.join(), /public_host: is empty/)
    assert.deepEqual(load(`${oncall}public_host: http://b`).warnings, [])
  })
  it('about an agent without a source, or a source to which no program can push', () => {
    assert.match(load('agent: {enable: true}').warnings.join(), /agent\.sources: has no enabled entry/)
    assert.match(load('agent: {enable: true, sources: [{name: a, type: http}]}').warnings.join(), /no program can push/)
  })
})
