package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"

	_ "github.com/sqlstream/sqlstream/connectors/blackhole"
	_ "github.com/sqlstream/sqlstream/connectors/datagen"
	_ "github.com/sqlstream/sqlstream/connectors/files"
	_ "github.com/sqlstream/sqlstream/connectors/kafka"
	_ "github.com/sqlstream/sqlstream/connectors/print"
)

// timeout bounds one case.
const timeout = 60 * time.Second

// settings are those that the answers were made with.
var settings = map[string]string{
	"pipeline.auto-watermark-interval": "0",
	"table.exec.mini-batch.enabled":    "false",
	"restart-strategy.type":            "none",
}

// runCase runs one case; a panic of the engine is a failure.
func runCase(base, data string) (r result) {
	r.name = caseName(base)
	defer func() {
		if p := recover(); p != nil {
			r.status, r.reason = failed, fmt.Sprintf("panic: %v", p)
		}
	}()
	text, err := os.ReadFile(base + ".sql")
	if err != nil {
		r.reason = err.Error()
		return r
	}
	out, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		r.reason = err.Error()
		return r
	}
	defer os.RemoveAll(out)
	sql := strings.NewReplacer("${DATA}", data, "${OUT}", out).Replace(string(text))
	got, runErr := execute(sql)
	r.status, r.reason = judge(base, got, runErr)
	return r
}

// execute runs the statements; the result of the last one counts.
func execute(sql string) (*render.Recording, error) {
	rec := &render.Recording{}
	s, err := session.New(session.Options{Output: rec, Settings: settings, Wait: true, Capture: rec.Capture})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err = s.Execute(ctx, sql)
	if ctx.Err() != nil {
		err = fmt.Errorf("no end after %s", timeout)
	}
	s.Close()
	return rec, err
}

// judge applies the rules.
func judge(base string, got *render.Recording, runErr error) (status, string) {
	want := read(base + ".error")
	if want != "" {
		return judgeRefusal(filepath.Base(base), want, runErr)
	}
	if runErr != nil {
		if session.KindOf(runErr) == session.Unsupported {
			return unsupported, oneLine(runErr.Error())
		}
		return failed, oneLine(runErr.Error())
	}
	if reason := compareSchema(read(base+".schema"), got.Schema()); reason != "" {
		return failed, reason
	}
	return compareRows(base, got)
}

// early may be refused before the job starts, though the reference fails
// while it runs.
var early = map[string]bool{"file_not_found": true, "cast_literal_fails": true, "div_by_zero_literal": true}

func judgeRefusal(name, want string, err error) (status, string) {
	if err == nil {
		return failed, "must be refused: " + oneLine(want)
	}
	kind := session.KindOf(err)
	atRuntime := strings.Contains(strings.SplitN(want, "\n", 2)[0], "runtime")
	switch {
	case kind == session.Unsupported:
		return unsupported, oneLine(err.Error())
	case kind == session.Internal:
		return failed, "internal error: " + oneLine(err.Error())
	case early[name]:
		return passed, ""
	case atRuntime != (kind == session.Runtime || kind == session.External):
		return failed, fmt.Sprintf("refused with kind %s, expected %s: %s", kind, oneLine(want), oneLine(err.Error()))
	}
	return passed, ""
}

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
