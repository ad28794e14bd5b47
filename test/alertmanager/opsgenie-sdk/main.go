// Drives the Alert and Heartbeat API with the official SDK for Go. Arguments: the address of the API, the key.
// Prints one line of JSON for each step.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/opsgenie/opsgenie-go-sdk-v2/alert"
	"github.com/opsgenie/opsgenie-go-sdk-v2/client"
	"github.com/opsgenie/opsgenie-go-sdk-v2/heartbeat"
	"github.com/sirupsen/logrus"
)

func main() {
	log := logrus.New()
	log.SetLevel(logrus.WarnLevel)
	config := &client.Config{ApiKey: os.Args[2], OpsGenieAPIURL: client.ApiUrl(os.Args[1]), Logger: log}
	alerts, err := alert.NewClient(config)
	must("client", err)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()

	created, err := alerts.Create(ctx, &alert.CreateAlertRequest{
		Message: "The mail queue grows", Alias: "queue-mail", Entity: "mail-relay", Priority: alert.P2,
		Tags: []string{"team:platform"}, Details: map[string]string{"host": "mx-2"},
	})
	must("create", err)
	id := status(ctx, "create", created)

	acknowledged, err := alerts.Acknowledge(ctx, &alert.AcknowledgeAlertRequest{
		IdentifierType: alert.ALIAS, IdentifierValue: "queue-mail", User: "Ada",
	})
	must("acknowledge", err)
	status(ctx, "acknowledge", acknowledged)

	noted, err := alerts.AddNote(ctx, &alert.AddNoteRequest{
		IdentifierType: alert.ALERTID, IdentifierValue: id, User: "Ada", Note: "the relay is being drained",
	})
	must("note", err)
	status(ctx, "note", noted)

	closed, err := alerts.Close(ctx, &alert.CloseAlertRequest{
		IdentifierType: alert.ALERTID, IdentifierValue: id, User: "Ada",
	})
	must("close by id", err)
	status(ctx, "close by id", closed)

	again, err := alerts.Create(ctx, &alert.CreateAlertRequest{Message: "The mail queue grows", Alias: "queue-mail"})
	must("create again", err)
	status(ctx, "create again", again)
	closed, err = alerts.Close(ctx, &alert.CloseAlertRequest{
		IdentifierType: alert.ALIAS, IdentifierValue: "queue-mail",
	})
	must("close by alias", err)
	status(ctx, "close by alias", closed)

	_, err = alerts.Close(ctx, &alert.CloseAlertRequest{IdentifierType: alert.ALIAS, IdentifierValue: "unknown"})
	tell("close of an unknown alert", map[string]any{"error": text(err)})

	if len(os.Args) > 3 {
		beats, err := heartbeat.NewClient(config)
		must("heartbeat client", err)
		pong, err := beats.Ping(ctx, os.Args[3])
		must("ping", err)
		tell("ping", map[string]any{"message": pong.Message})
		_, err = beats.Ping(ctx, "unknown")
		tell("ping of an unknown heartbeat", map[string]any{"error": text(err)})
	}
}

func status(ctx context.Context, step string, result *alert.AsyncAlertResult) string {
	done, err := result.RetrieveStatus(ctx)
	must("status of "+step, err)
	tell(step, map[string]any{"isSuccess": done.IsSuccess, "action": done.Action, "alias": done.Alias,
		"answered": result.Result, "limits": result.RateLimitState, "timed": result.ResponseTime > 0})
	return done.AlertID
}

func tell(step string, facts map[string]any) {
	facts["step"] = step
	line, _ := json.Marshal(facts)
	fmt.Println(string(line))
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func must(step string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, step+":", err)
		os.Exit(1)
	}
}
