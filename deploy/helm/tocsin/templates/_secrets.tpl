{{/* Every single credential: its path among the values, and its variable. */}}
{{- define "tocsin.credentials" -}}
gatewaySecret: GATEWAY_SECRET
http.intakeToken: HTTP_INTAKE_TOKEN
alert.chatws.token: CHATWS_TOKEN
alert.msgapp.token: MSGAPP_TOKEN
alert.messenger.token: MESSENGER_TOKEN
alert.officechat.flowUrl: OFFICECHAT_FLOW_URL
alert.workchat.token: WORKCHAT_TOKEN
alert.workchat.webhookUrl: WORKCHAT_WEBHOOK_URL
alert.workchat.secret: WORKCHAT_SECRET
alert.ntfy.topic: NTFY_TOPIC
alert.ntfy.token: NTFY_TOKEN
alert.email.password: SMTP_PASSWORD
topicsvc.accessKeyId: CLOUD_ACCESS_KEY_ID
topicsvc.secretAccessKey: CLOUD_SECRET_ACCESS_KEY
oncall.webhook.url: ONCALL_WEBHOOK_URL
oncall.webhook.secret: ONCALL_WEBHOOK_SECRET
oncall.pagerduty.routingKey: PAGERDUTY_ROUTING_KEY
oncall.incidentIo.apiKey: INCIDENT_IO_API_KEY
oncall.awsIncidentManager.accessKeyId: AWS_INCIDENT_MANAGER_ACCESS_KEY_ID
oncall.awsIncidentManager.secretAccessKey: AWS_INCIDENT_MANAGER_SECRET_ACCESS_KEY
oncall.servicenow.password: SERVICENOW_PASSWORD
oncall.servicenow.token: SERVICENOW_TOKEN
agent.ai.apiKey: AGENT_AI_API_KEY
storage.postgres.url: STORAGE_POSTGRES_URL
storage.postgres.listenUrl: STORAGE_POSTGRES_LISTEN_URL
{{- end -}}

{{/* Maps of credentials by name, and the prefix of their variables. */}}
{{- define "tocsin.credentialMaps" -}}
alert.officechat.otherFlowUrls: OFFICECHAT_OTHER_FLOW_URL_
oncall.pagerduty.otherRoutingKeys: PAGERDUTY_OTHER_ROUTING_KEY_
mcp.tokens: MCP_TOKEN_
{{- end -}}

{{/* The value at a dotted path, as YAML under `value`. */}}
{{- define "tocsin.at" -}}
{{- $at := .values -}}
{{- range splitList "." .path -}}{{- $at = index $at . -}}{{- end -}}
{{- dict "value" $at | toYaml -}}
{{- end -}}

{{/* The values of all credentials that are set, by variable. */}}
{{- define "tocsin.secretData" -}}
{{- $values := .Values -}}
{{- $data := dict -}}
{{- range $path, $variable := include "tocsin.credentials" . | fromYaml -}}
{{- with (include "tocsin.at" (dict "values" $values "path" $path) | fromYaml).value -}}
{{- $_ := set $data $variable (toString .) -}}
{{- end -}}
{{- end -}}
{{- range $path, $prefix := include "tocsin.credentialMaps" . | fromYaml -}}
{{- range $name, $credential := (include "tocsin.at" (dict "values" $values "path" $path) | fromYaml).value -}}
{{- if not (regexMatch "^[a-z0-9_]+$" $name) -}}
{{- fail (printf "%s: the name %q must consist of lower case letters, digits and _, since it becomes part of a variable's name" $path $name) -}}
{{- end -}}
{{- $_ := set $data (printf "%s%s" $prefix (upper $name)) (toString $credential) -}}
{{- end -}}
{{- end -}}
{{- if $data -}}{{- toYaml $data -}}{{- end -}}
{{- end -}}

{{/* The Secret that the pod reads, or nothing. */}}
{{- define "tocsin.secretName" -}}
{{- if .Values.existingSecret -}}{{ .Values.existingSecret }}
{{- else if include "tocsin.secretData" . -}}{{ include "tocsin.fullname" . }}
{{- end -}}
{{- end -}}
