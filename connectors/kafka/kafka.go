// Package kafka is the connectors 'kafka' and 'upsert-kafka': topics as
// sources and sinks, exactly once by Kafka transactions. DESIGN.md beside
// this file says how the guarantees are kept.
package kafka

import (
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	connectors.Register(&connectors.Connector{
		Name:     "kafka",
		Doc:      "A Kafka topic: a source of its records, and a sink that adds a record for each row (none, at-least-once, exactly-once).",
		Formats:  true,
		Options:  join(commonOptions, tlsOptions, scanOptions, sinkOptions),
		Metadata: metadataColumns,
		Source:   func(t *connectors.Table) (connectors.SourceTable, error) { return openSource(t, false) },
		Sink:     func(t *connectors.Table) (connectors.SinkTable, error) { return openSink(t, false) },
		Settler:  openSettler,
		Position: readPosition,
	})
	connectors.Register(&connectors.Connector{
		Name:     "upsert-kafka",
		Doc:      "A Kafka topic as a table by primary key: a record is the newest row of its key, one without value (a tombstone) deletes it.",
		Formats:  true,
		Options:  join(commonOptions, tlsOptions, upsertOptions, sinkOptions),
		Metadata: metadataColumns,
		Source:   func(t *connectors.Table) (connectors.SourceTable, error) { return openSource(t, true) },
		Sink:     func(t *connectors.Table) (connectors.SinkTable, error) { return openSink(t, true) },
		Settler:  openSettler,
		Position: readPosition,
	})
}

// Metadata columns.
const (
	metaTopic         = "topic"
	metaPartition     = "partition"
	metaOffset        = "offset"
	metaLeaderEpoch   = "leader-epoch"
	metaTimestamp     = "timestamp"
	metaTimestampType = "timestamp-type"
	metaHeaders       = "headers"
)

var headersType = types.MapOf(types.String().Nullable(false), types.Bytes()).Nullable(false)

var metadataColumns = []connectors.Metadata{
	{Key: metaTopic, Type: types.String().Nullable(false), Readable: true, Doc: "the record's topic"},
	{Key: metaPartition, Type: types.Of(types.Int).Nullable(false), Readable: true, Doc: "the record's partition"},
	{Key: metaOffset, Type: types.Of(types.BigInt).Nullable(false), Readable: true, Doc: "the record's offset"},
	{Key: metaLeaderEpoch, Type: types.Of(types.Int), Readable: true, Doc: "the leader epoch of the record's batch"},
	{Key: metaTimestamp, Type: types.LTZOf(3).Nullable(false), Readable: true, Writable: true, Doc: "the record's timestamp; written, it is instead of the query's row time"},
	{Key: metaTimestampType, Type: types.String().Nullable(false), Readable: true, Doc: "CreateTime or LogAppendTime"},
	{Key: metaHeaders, Type: headersType, Readable: true, Writable: true, Doc: "the record's headers"},
}
