package checkpoint

import (
	"fmt"
	"strings"
)

// DirVersion is the format of a state directory: its keys and the records
// that have no version of their own.
const DirVersion = 1

const (
	magicJob    = "sqJB"
	magicLatest = "sqLT"
	magicChunk  = "sqCH"
	magicLosses = "sqLO"
)

type jobRecord struct {
	runID string
	job   Job
}

func (j jobRecord) encode() []byte {
	e := newEncoder(magicJob, DirVersion)
	e.string(j.runID)
	e.string(j.job.Name)
	e.string(j.job.Hash)
	e.uint(uint64(len(j.job.Operators)))
	for _, o := range j.job.Operators {
		e.string(o.UID)
		e.string(o.Name)
	}
	return e.seal()
}

func decodeJob(rec []byte) (jobRecord, error) {
	d, _, err := openRecord("state directory", magicJob, DirVersion, rec)
	if err != nil {
		return jobRecord{}, err
	}
	j := jobRecord{runID: d.string(), job: Job{Name: d.string(), Hash: d.string()}}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		j.job.Operators = append(j.job.Operators, JobOperator{UID: d.string(), Name: d.string()})
	}
	return j, d.done()
}

type latestRecord struct {
	id    ID
	runID string
}

func (l latestRecord) encode() []byte {
	e := newEncoder(magicLatest, DirVersion)
	e.int(int64(l.id))
	e.string(l.runID)
	return e.seal()
}

func decodeLatest(rec []byte) (latestRecord, error) {
	d, _, err := openRecord("file LATEST", magicLatest, DirVersion, rec)
	if err != nil {
		return latestRecord{}, err
	}
	l := latestRecord{id: ID(d.int()), runID: d.string()}
	return l, d.done()
}

func (l Losses) encode() []byte {
	e := newEncoder(magicLosses, DirVersion)
	e.int(l.Committables)
	e.int(l.Records)
	return e.seal()
}

func decodeLosses(rec []byte) (Losses, error) {
	d, _, err := openRecord("count of losses", magicLosses, DirVersion, rec)
	if err != nil {
		return Losses{}, err
	}
	l := Losses{Committables: d.int(), Records: d.int()}
	return l, d.done()
}

func encodeChunk(data []byte) []byte {
	e := &encoder{b: make([]byte, 0, len(data)+frameLen)}
	e.b = append(e.b, magicChunk...)
	e.b = append(e.b, DirVersion, 0)
	e.b = append(e.b, data...)
	return e.seal()
}

func decodeChunk(ref uint64, rec []byte) ([]byte, error) {
	d, _, err := openRecord(fmt.Sprintf("state chunk %x", ref), magicChunk, DirVersion, rec)
	if err != nil {
		return nil, err
	}
	return d.b, nil
}

// differs explains to people why the directory's job is not this one.
func (j Job) differs(want Job) string {
	old, now := operatorSet(j), operatorSet(want)
	for _, o := range want.Operators {
		if name, ok := old[o.UID]; !ok {
			return "operator " + o.Name + " is not in the job that made it" + counterpart(j, now)
		} else if name != o.Name {
			return fmt.Sprintf("operator %s was %s", o.Name, name)
		}
	}
	for _, o := range j.Operators {
		if _, ok := now[o.UID]; !ok {
			return "operator " + o.Name + " of the job that made it is missing now"
		}
	}
	return fmt.Sprintf("the plan differs (hash %s, was %s)", want.Hash, j.Hash)
}

// counterpart names the first operator that has gone, if any: most often the
// old form of the one that is new.
func counterpart(j Job, now map[string]string) string {
	for _, o := range j.Operators {
		if _, ok := now[o.UID]; !ok {
			return ", which had " + strings.TrimSpace(o.Name)
		}
	}
	return ""
}

func operatorSet(j Job) map[string]string {
	m := make(map[string]string, len(j.Operators))
	for _, o := range j.Operators {
		m[o.UID] = o.Name
	}
	return m
}
