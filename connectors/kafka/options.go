package kafka

import (
	"github.com/sqlstream/sqlstream/connectors"
)

// Option keys that more than one file reads.
const (
	optTopic      = "topic"
	optServers    = "properties.bootstrap.servers"
	optGroup      = "properties.group.id"
	optReset      = "properties.auto.offset.reset"
	optIsolation  = "properties.isolation.level"
	optCreate     = "properties.allow.auto.create.topics"
	optTxnTimeout = "properties.transaction.timeout.ms"
	optLinger     = "properties.linger.ms"
	optFormat     = "format"
	optKeyFormat  = "key.format"
	optValFormat  = "value.format"
	optKeyFields  = "key.fields"
	optKeyPrefix  = "key.fields-prefix"
	optInclude    = "value.fields-include"
	optOnError    = "on-error"
	optStartup    = "scan.startup.mode"
	optBounded    = "scan.bounded.mode"
	optSemantic   = connectors.SemanticKey
	optGuarantee  = connectors.GuaranteeKey
	optTxnPrefix  = "sink.transactional-id-prefix"
	optPartition  = "sink.partitioner"
	optPoolSize   = "sink.transaction-pool-size"
	optPoolMax    = "sink.transaction-pool-max"
	optMarker     = "sink.commit-marker"
	optLost       = "sink.on-lost-transaction"
	optLog        = "sink.pre-commit-log"
	optLogMax     = "sink.pre-commit-log.max-bytes"
)

var guarantees = connectors.Guarantees

var startupOptions = []connectors.Option{
	{Key: optStartup, Kind: connectors.Enum, Default: "group-offsets", Values: []string{"earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets"}, Doc: "where a new job begins to read; one that resumes goes on at its checkpoint"},
	{Key: "scan.startup.specific-offsets", Doc: "for specific-offsets: 'partition:0,offset:42;partition:1,offset:300'; partitions not named begin at the earliest"},
	{Key: "scan.startup.timestamp-millis", Kind: connectors.Integer, Doc: "for timestamp: milliseconds since 1970"},
}

var boundedOptions = []connectors.Option{
	{Key: optBounded, Kind: connectors.Enum, Default: "unbounded", Values: []string{"unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets"}, Doc: "where the reading ends; latest-offset is the end when the job starts first"},
	{Key: "scan.bounded.specific-offsets", Doc: "for specific-offsets: as scan.startup.specific-offsets; the offset itself is not read"},
	{Key: "scan.bounded.timestamp-millis", Kind: connectors.Integer, Doc: "for timestamp: milliseconds since 1970"},
	connectors.RateLimitOption,
	{Key: "scan.parallelism", Kind: connectors.Integer, Default: "0", Doc: "readers; 0: as the job"},
	{Key: "scan.topic-partition-discovery.interval", Kind: connectors.Duration, Default: "0", Doc: "how often to look for new partitions; only 0 (never) is supported yet"},
}

var scanOptions = join(startupOptions, []connectors.Option{
	{Key: optFormat, Doc: "format of the value (or value.format)"},
	{Key: optKeyFields, Kind: connectors.List, Doc: "columns of the key, separated by ';'"},
}, boundedOptions)

var upsertOptions = boundedOptions

var commonOptions = []connectors.Option{
	{Key: optServers, Required: true, Doc: "brokers to begin with: 'host:port,host:port'"},
	{Key: optTopic, Kind: connectors.List, Doc: "the topic; several to read, separated by ';'"},
	{Key: "topic-pattern", Unsupported: true, Doc: "a regular expression of topics to read"},
	{Key: optValFormat, Doc: "format of the value"},
	{Key: optKeyFormat, Doc: "format of the key"},
	{Key: optKeyPrefix, Doc: "what the names of key columns begin with, and the key's field names do not"},
	{Key: optInclude, Kind: connectors.Enum, Default: "ALL", Values: []string{"ALL", "EXCEPT_KEY"}, Doc: "whether key columns are in the value, too"},
	{Key: optOnError, Kind: connectors.Enum, Default: "fail", Values: []string{"fail", "skip", "null"}, Doc: "what a record that cannot be read does: stop the job, be left out, or give NULL"},
	{Key: "dlq.topic", Unsupported: true, Doc: "a topic for records that cannot be read"},
	{Key: optGroup, Doc: "consumer group for group-offsets; its offsets are committed with checkpoints, for lag tools"},
	{Key: optReset, Kind: connectors.Enum, Values: []string{"earliest", "latest", "none"}, Doc: "where group-offsets begins if the group has none"},
	{Key: optIsolation, Kind: connectors.Enum, Default: "read_committed", Values: []string{"read_committed", "read_uncommitted"}, Doc: "read_committed hides what open and aborted transactions wrote (Kafka's own default shows it)"},
	{Key: "properties.client.id", Doc: "name in the broker's logs"},
	{Key: "properties.security.protocol", Kind: connectors.Enum, Default: "PLAINTEXT", Values: []string{"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}, Doc: "encryption and authentication"},
	{Key: "properties.sasl.mechanism", Kind: connectors.Enum, Default: "PLAIN", Values: []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}, Doc: "how to authenticate"},
	{Key: "properties.sasl.jaas.config", Secret: true, Doc: `'… required username="u" password="p";'`},
	{Key: "properties.ssl.truststore.type", Kind: connectors.Enum, Default: "PEM", Values: []string{"PEM"}, Doc: "kind of the trust store: PEM only"},
	{Key: "properties.ssl.truststore.location", Doc: "file with the certificates (PEM) of authorities to trust"},
	{Key: "properties.ssl.truststore.certificates", Doc: "the certificates (PEM) themselves"},
	{Key: "properties.fetch.max.bytes", Kind: connectors.Integer, Default: "8388608", Doc: "most bytes of one answer"},
	{Key: "properties.max.partition.fetch.bytes", Kind: connectors.Integer, Default: "1048576", Doc: "most bytes of one partition in an answer"},
	{Key: "properties.fetch.min.bytes", Kind: connectors.Integer, Default: "1", Doc: "a broker waits until it has so many bytes"},
	{Key: "properties.fetch.max.wait.ms", Kind: connectors.Integer, Default: "500", Doc: "a broker waits no longer than this"},
	{Key: "properties.request.timeout.ms", Kind: connectors.Integer, Default: "30000", Doc: "how long an answer is waited for"},
	{Key: "properties.compression.type", Kind: connectors.Enum, Default: "none", Values: []string{"none", "gzip", "snappy", "lz4", "zstd"}, Doc: "compression of written batches"},
	{Key: "properties.batch.size", Kind: connectors.Integer, Default: "196608", Doc: "bytes at which a written batch is closed"},
	{Key: optLinger, Kind: connectors.Integer, Default: "0", Doc: "how long a batch that is not full waits for more rows; 0: it leaves when the one before is acknowledged"},
	{Key: optTxnTimeout, Kind: connectors.Integer, Default: "900000", Doc: "a transaction that is open for longer is aborted by the broker: outages must be shorter (at most transaction.max.timeout.ms of the broker)"},
	{Key: "properties.acks", Kind: connectors.Enum, Default: "all", Values: []string{"all", "-1"}, Doc: "all: no other value keeps the guarantees"},
	{Key: "properties.enable.idempotence", Kind: connectors.Enum, Default: "true", Values: []string{"true"}, Doc: "always on"},
	// Known to every job file, and without effect here.
	{Key: "properties.enable.auto.commit", Doc: "ignored: offsets are committed with checkpoints"},
	{Key: "properties.auto.commit.interval.ms", Doc: "ignored"},
	{Key: "properties.retries", Doc: "ignored: repeats go on for two minutes"},
	{Key: "properties.buffer.memory", Doc: "ignored"},
	{Key: "properties.max.in.flight.requests.per.connection", Doc: "ignored: 5"},
	{Key: "properties.max.poll.records", Doc: "ignored"},
	{Key: "properties.max.poll.interval.ms", Doc: "ignored"},
	{Key: "properties.session.timeout.ms", Doc: "ignored: no group is joined"},
	{Key: "properties.heartbeat.interval.ms", Doc: "ignored: no group is joined"},
	{Key: optCreate, Kind: connectors.Boolean, Default: "true", Doc: "a sink asks for a missing topic to be made; the broker does so if its auto.create.topics.enable allows. A source never does"},
	{Key: "properties.key.deserializer", Doc: "ignored"},
	{Key: "properties.value.deserializer", Doc: "ignored"},
	{Key: "properties.key.serializer", Doc: "ignored"},
	{Key: "properties.value.serializer", Doc: "ignored"},
	{Key: "properties.*", Unsupported: true, Doc: "other properties of Kafka clients"},
}

var sinkOptions = []connectors.Option{
	{Key: optSemantic, Kind: connectors.Enum, Values: guarantees, Doc: "the same as sink.delivery-guarantee"},
	{Key: optGuarantee, Kind: connectors.Enum, Default: "at-least-once", Values: guarantees, Doc: "none; at-least-once: no row is lost, some may be repeated after a failure; exactly-once: by transactions, for read_committed consumers"},
	{Key: optTxnPrefix, Doc: "what the sink's transactional.ids begin with, its own in the cluster; default: the job's name"},
	{Key: optPoolSize, Kind: connectors.Integer, Default: "5", Doc: "transactional.ids a writer uses in turn; at least the concurrent checkpoints + 2"},
	{Key: optPoolMax, Kind: connectors.Integer, Default: "64", Doc: "how far that pool may grow when checkpoints are slow"},
	{Key: "sink.transaction-naming-strategy", Kind: connectors.Enum, Default: "pooling", Values: []string{"pooling", "incrementing"}, Doc: "accepted for Flink's sake: always a pool"},
	{Key: optMarker, Kind: connectors.Boolean, Default: "true", Doc: "store proof of each commit in a group named as the transactional.id; 'false' where ACLs forbid groups: then a stale copy of the state directory repeats rows unseen, and doubts must be decided by a person"},
	{Key: optLost, Kind: connectors.Enum, Default: "fail", Values: []string{"fail", "continue"}, Doc: "when the broker aborted a transaction before it could be committed, or its topic was deleted: stop, or log the loss and go on"},
	{Key: optLog, Kind: connectors.Boolean, Default: "false", Doc: "keep the rows of a transaction in the state directory until it is committed, and write them anew if the broker aborted it: no row is lost however long the job was down"},
	{Key: optLogMax, Kind: connectors.Size, Default: "1 gb", Doc: "limit of the sink's pre-commit log; a log that is half full asks for a checkpoint, beyond the limit checkpoints are declined, and a job whose rows of one checkpoint never fit stops"},
	{Key: optPartition, Default: "default", Kind: connectors.Enum, Values: []string{"default", "fixed", "round-robin"}, Doc: "default: by the key's hash, without key in turns of a batch; fixed: each writer one partition; round-robin"},
	{Key: "sink.parallelism", Kind: connectors.Integer, Default: "0", Doc: "writers; 0: as the job"},
	{Key: "sink.buffer-flush.max-rows", Kind: connectors.Integer, Doc: "upsert-kafka: accepted, without effect: rows are written as they come"},
	{Key: "sink.buffer-flush.interval", Kind: connectors.Duration, Doc: "upsert-kafka: accepted, without effect"},
}

func join(parts ...[]connectors.Option) []connectors.Option {
	var all []connectors.Option
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
