{{/* Turns keys into those of config.yaml. Maps of names that the operator chooses, and lists, stay as they are. */}}
{{- define "tocsin.snake" -}}
{{- $out := dict -}}
{{- range $key, $value := . -}}
{{- if and (kindIs "map" $value) (not (hasPrefix "other" $key)) -}}
{{- $_ := set $out (snakecase $key) (include "tocsin.snake" $value | fromYaml) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $out (snakecase $key) $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/* The service's config.yaml. */}}
{{- define "tocsin.config" -}}
{{- $values := deepCopy .Values -}}
{{- $sections := pick $values "publicHost" "gatewaySecret" "http" "alert" "delivery" "templates" "topicsvc" "brief" "mcp" "oncall" "storage" "agent" "metrics" "log" -}}
{{- range $path, $variable := include "tocsin.credentials" . | fromYaml -}}
{{- $parts := splitList "." $path -}}
{{- $at := $sections -}}
{{- range initial $parts -}}{{- $at = index $at . -}}{{- end -}}
{{- $_ := set $at (last $parts) (printf "${%s}" $variable) -}}
{{- end -}}
{{- /* The service reads these from their variables. */ -}}
{{- $_ := unset $sections.alert.officechat "otherFlowUrls" -}}
{{- range $name, $_ := $sections.oncall.pagerduty.otherRoutingKeys -}}
{{- $_ := set $sections.oncall.pagerduty.otherRoutingKeys $name (printf "${PAGERDUTY_OTHER_ROUTING_KEY_%s}" (upper $name)) -}}
{{- end -}}
{{- $tokens := list -}}
{{- range $name, $_ := $sections.mcp.tokens -}}
{{- $token := dict "name" $name "token" (printf "${MCP_TOKEN_%s}" (upper $name)) -}}
{{- if hasKey $sections.mcp.acting $name -}}
{{- $token = merge $token (dict "scope" "act") (index $sections.mcp.acting $name) -}}
{{- end -}}
{{- $tokens = append $tokens $token -}}
{{- end -}}
{{- $_ := set $sections.mcp "tokens" $tokens -}}
{{- $_ := unset $sections.mcp "acting" -}}
{{- range $file, $_ := $sections.templates.files -}}
{{- $channel := regexReplaceAll "\\.(tmpl|hbs)$" $file "" -}}
{{- if hasKey $sections.alert $channel -}}
{{- $_ := set (index $sections.alert $channel) "templatePath" (printf "/etc/tocsin/templates/%s" $file) -}}
{{- end -}}
{{- end -}}
{{- $_ := unset $sections.templates "files" -}}
{{- $_ := unset $sections.storage "persistence" -}}
{{- $_ := unset $sections.metrics "serviceMonitor" -}}
{{- $_ := unset $sections.metrics "prometheusRule" -}}
{{- $config := include "tocsin.snake" $sections | fromYaml -}}
{{- $_ := set $config "name" (include "tocsin.fullname" .) -}}
{{- $_ := set $config "host" "0.0.0.0" -}}
{{- $_ := set $config "port" 3000 -}}
{{- if include "tocsin.shared" . -}}
{{- $_ := set $config "replica" (dict "name" "${POD_NAME}" "address" "http://${POD_IP}:3000") -}}
{{- else -}}
{{- $_ := unset $config.storage "postgres" -}}
{{- end -}}
{{- toYaml (mergeOverwrite $config (deepCopy .Values.config)) -}}
{{- end -}}
