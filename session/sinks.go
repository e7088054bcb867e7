package session

import (
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
)

// Sink is an exactly-once sink of a job, as its state directory knows it.
type Sink struct {
	UID       string            `json:"uid"`
	Name      string            `json:"name"`
	JobName   string            `json:"job"`
	RunID     string            `json:"run"`
	Connector string            `json:"connector"`
	Options   map[string]string `json:"options"` // without secrets
}

// Sinks lists the exactly-once sinks that have noted where they write.
func Sinks(s checkpoint.Store, job checkpoint.Job) ([]Sink, error) {
	var list []Sink
	for _, o := range job.Operators {
		note, err := connectors.ReadSinkNote(s.Journal(o.UID))
		if err != nil {
			return nil, err
		}
		if note != nil {
			list = append(list, Sink{UID: o.UID, Name: o.Name, JobName: job.Name, RunID: s.RunID(), Connector: note.Connector, Options: note.Options})
		}
	}
	return list, nil
}

// sinks lists those of a running job.
func (j *Job) sinks() ([]Sink, error) { return Sinks(j.store, identity(j.Name, j.Plan)) }
