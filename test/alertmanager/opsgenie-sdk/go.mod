module opsgenie-sdk

go 1.22

require (
	github.com/opsgenie/opsgenie-go-sdk-v2 v1.2.23
	github.com/sirupsen/logrus v1.9.3
)

require (
	github.com/hashicorp/go-cleanhttp v0.5.0 // indirect
	github.com/hashicorp/go-retryablehttp v0.5.1 // indirect
	github.com/pkg/errors v0.8.1 // indirect
	golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8 // indirect
)
