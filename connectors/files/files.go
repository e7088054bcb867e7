// Package files is the connector 'filesystem': it reads files of JSON, CSV
// or raw lines (gzip too), and writes them exactly once by renaming finished
// files into place when a checkpoint completes.
package files

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
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
			{Key: "scan.rate-limit", Kind: connectors.Integer, Default: "0", Doc: "at most so many rows a second and reader; 0: no limit"},
			{Key: "sink.parallelism", Kind: connectors.Integer, Default: "0", Doc: "writers; 0: as the job"},
			{Key: "sink.semantic", Kind: connectors.Enum, Values: guarantees, Doc: "the same as sink.delivery-guarantee"},
			{Key: "sink.delivery-guarantee", Kind: connectors.Enum, Default: "exactly-once", Values: guarantees, Doc: "when a file appears: at once written (none), on a barrier (at-least-once), when the checkpoint is complete (exactly-once)"},
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
		Source: openSource,
		Sink:   openSink,
	})
}

var guarantees = []string{"none", "at-least-once", "exactly-once"}

// guarantee reads the option under its two names.
func guarantee(o *connectors.Options) (exec.Guarantee, error) {
	const semantic, delivery = "sink.semantic", "sink.delivery-guarantee"
	value := o.Enum(delivery)
	if o.Given(semantic) {
		if o.Given(delivery) && o.Enum(semantic) != value {
			return 0, fmt.Errorf("options '%s' = '%s' and '%s' = '%s' say different things; they are two names of one option, give one", semantic, o.Text(semantic), delivery, o.Text(delivery))
		}
		value = o.Enum(semantic)
	}
	for i, g := range guarantees {
		if g == value {
			return exec.Guarantee(i), nil
		}
	}
	panic("files: guarantee " + value)
}

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
