// Package files is the connector 'filesystem': it reads files of JSON, CSV
// or raw lines (gzip too), and writes them exactly once by renaming finished
// files into place when a checkpoint completes.
package files

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	connectors.Register(&connectors.Connector{
		Name:    "filesystem",
		Doc:     "Files on this machine: a source of one file, a folder or a glob, read once; a sink that adds files to a folder.",
		Formats: true,
		Options: []connectors.Option{
			{Key: "path", Required: true, Doc: "a file, a folder or a glob to read ('.gz' is unpacked); the folder to write to"},
			{Key: "format", Required: true, Doc: "the format of the records"},
			{Key: "on-error", Kind: connectors.Enum, Default: "fail", Values: []string{"fail", "skip", "null"}, Doc: "what a record that cannot be read does: stop the job, be left out, or give NULL"},
			{Key: "source.monitor-interval", Kind: connectors.Duration, Unsupported: true, Doc: "look for new files"},
			{Key: "source.path.regex-pattern", Unsupported: true, Doc: "which files of the folder to read"},
			{Key: "scan.parallelism", Kind: connectors.Integer, Doc: "readers"},
			connectors.RateLimitOption,
			{Key: "sink.parallelism", Kind: connectors.Integer, Default: "0", Doc: "writers; 0: as the job"},
			{Key: connectors.SemanticKey, Kind: connectors.Enum, Values: guarantees, Doc: "the same as sink.delivery-guarantee"},
			{Key: connectors.GuaranteeKey, Kind: connectors.Enum, Default: "exactly-once", Values: guarantees, Doc: "when a file appears: at once written (none), on a barrier (at-least-once), when the checkpoint is complete (exactly-once)"},
			{Key: "sink.rolling-policy.file-size", Kind: connectors.Size, Unsupported: true, Doc: "the size at which a new file begins"},
			{Key: "sink.rolling-policy.rollover-interval", Kind: connectors.Duration, Unsupported: true, Doc: "the age at which a new file begins"},
			{Key: "sink.rolling-policy.check-interval", Kind: connectors.Duration, Unsupported: true, Doc: "how often the age is looked at"},
			{Key: "auto-compaction", Kind: connectors.Boolean, Unsupported: true, Doc: "merge small files"},
		},
		Metadata: []connectors.Metadata{
			{Key: "file.path", Type: types.String().Nullable(false), Readable: true, Doc: "the full path"},
			{Key: "file.name", Type: types.String().Nullable(false), Readable: true, Doc: "the last part of the path"},
			{Key: "file.size", Type: types.Of(types.BigInt).Nullable(false), Readable: true, Doc: "bytes"},
			{Key: "file.modification-time", Type: types.LTZOf(3).Nullable(false), Readable: true, Doc: "when it was last written"},
		},
		Source:  openSource,
		Sink:    openSink,
		Settler: openSettler,
	})
}

var guarantees = connectors.Guarantees

// formatOf finds the table's format.
func formatOf(t *connectors.Table) (*format.Format, error) {
	name := t.Options.Text("format")
	f, ok := format.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown format '%s'", name)
	}
	return f, nil
}

var onErrors = map[string]format.OnError{"fail": format.Fail, "skip": format.Skip, "null": format.NullField}
