package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) brokerCommand() *cobra.Command {
	var listen, data string
	var topics []string
	c := &cobra.Command{
		Use:   "broker",
		Short: "Run a small Kafka-protocol broker for trying things out",
		Long: `Run a broker that speaks Kafka's protocol, with transactions, in this process. It is for trying things out
and for tests; it is no replacement of Apache Kafka: a kill -9 of it aborts the transactions that are open.
Topics are made when they are first written to.`,
		Args: argsBy(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			o := broker.Options{Listen: listen, DataDir: data, AutoCreate: true, DefaultPartitions: 1}
			for _, t := range topics {
				topic, err := parseTopic(t)
				if err != nil {
					return err
				}
				o.Topics = append(o.Topics, topic)
			}
			b, err := broker.Start(o)
			if err != nil {
				return &session.Error{Kind: session.External, Err: fmt.Errorf("%w; --listen and --data name others", err)}
			}
			defer b.Close()
			fmt.Fprintf(a.err, "broker listens on %s; Ctrl-C ends it\n", b.Addr())
			fmt.Fprintln(a.out, b.Addr())
			<-c.Context().Done()
			return nil
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:9092", "address to listen on; port 0 takes a free one")
	c.Flags().StringVar(&data, "data", "", "folder to keep records in; without one they are in memory")
	c.Flags().StringArrayVar(&topics, "topic", nil, "topic to make at the start, as name:partitions (repeatable)")
	return c
}

// parseTopic reads name or name:partitions.
func parseTopic(text string) (broker.Topic, error) {
	name, number, given := strings.Cut(text, ":")
	t := broker.Topic{Name: name, Partitions: 1}
	if given {
		if _, err := fmt.Sscanf(number, "%d", &t.Partitions); err != nil || t.Partitions < 1 {
			return t, usage("--topic %s: expected name:partitions", text)
		}
	}
	return t, nil
}
