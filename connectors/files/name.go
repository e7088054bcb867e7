package files

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// Names of files:
//
//	.part-<job>-<operator>-<number>.inprogress     hidden: readers leave out names that begin with a dot
//	part-<run>-<operator>-<writer>-<checkpoint>    in place
//
// <job> is a hash of the job's name: two jobs of the same query may write to
// one folder, and each removes only what it left behind itself.

const unfinished = ".inprogress"

// hiddenPrefix begins the hidden names of a job's sink.
func hiddenPrefix(c exec.SinkContext) string {
	h := fnv.New32a()
	h.Write([]byte(c.JobName))
	return fmt.Sprintf(".part-%08x-%s-", h.Sum32(), url.PathEscape(c.UID))
}

// isHidden tells whether a name is a hidden one of the sink.
func isHidden(name string, c exec.SinkContext) bool {
	rest, ours := strings.CutPrefix(name, hiddenPrefix(c))
	number, ours2 := strings.CutSuffix(rest, unfinished)
	return ours && ours2 && number != "" && strings.Trim(number, "0123456789") == ""
}

// finalPrefix begins the names of the files that a sink's checkpoints put in
// place: two sinks of a job may write to one folder.
func finalPrefix(c exec.SinkContext) string {
	return fmt.Sprintf("part-%s-%s-", short(c.RunID), url.PathEscape(c.UID))
}

func finalName(c exec.SinkContext, writer int, id checkpoint.ID) string {
	return fmt.Sprintf("%s%d-%d", finalPrefix(c), writer, id)
}

func short(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}
