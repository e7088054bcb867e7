package main

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// serveMetrics serves Prometheus text with Flink's metric names; the
// returned function ends it.
func (w *watcher) serveMetrics(address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, external("metrics on %s: %w", address, err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(w)
	server := &http.Server{Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.mu.Lock()
			w.say("metrics: " + err.Error())
			w.mu.Unlock()
		}
	}()
	w.mu.Lock()
	w.say("metrics on http://" + l.Addr().String() + "/metrics")
	w.mu.Unlock()
	return func() {
		_ = server.Close()
		<-done
	}, nil
}

// metric is one of an operator's subtask.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(exec.SubtaskStatus) float64
}

var operatorLabels = []string{"job_name", "operator_name", "operator_id", "subtask_index"}

func operatorMetric(name, help string, kind prometheus.ValueType, value func(exec.SubtaskStatus) float64) metric {
	return metric{prometheus.NewDesc("flink_taskmanager_job_task_operator_"+name, help, operatorLabels, nil), kind, value}
}

var operatorMetrics = []metric{
	operatorMetric("numRecordsIn", "rows read", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.RowsIn) }),
	operatorMetric("numRecordsOut", "rows put out", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.RowsOut) }),
	operatorMetric("numBytesIn", "bytes read", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.BytesIn) }),
	operatorMetric("numBytesOut", "bytes written", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.BytesOut) }),
	operatorMetric("numLateRecordsDropped", "rows dropped because their window had fired", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.Late) }),
	operatorMetric("numRecordsInErrors", "records left out by on-error", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.Skipped) }),
	operatorMetric("pendingRecords", "records not read yet", prometheus.GaugeValue, func(s exec.SubtaskStatus) float64 { return float64(s.Lag) }),
	operatorMetric("busyTimeSeconds", "time spent in the operator", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.BusyNanos) / 1e9 }),
	operatorMetric("backPressuredTimeSeconds", "time spent waiting for the next operator", prometheus.CounterValue, func(s exec.SubtaskStatus) float64 { return float64(s.BlockedNanos) / 1e9 }),
	operatorMetric("stateRows", "rows kept", prometheus.GaugeValue, func(s exec.SubtaskStatus) float64 { return float64(s.StateRows) }),
	operatorMetric("stateBytes", "bytes kept", prometheus.GaugeValue, func(s exec.SubtaskStatus) float64 { return float64(s.StateBytes) }),
}

var (
	watermarkDesc = prometheus.NewDesc("flink_taskmanager_job_task_operator_currentOutputWatermark", "event time in ms", operatorLabels, nil)
	completedDesc = prometheus.NewDesc("flink_jobmanager_job_numberOfCompletedCheckpoints", "checkpoints completed", []string{"job_name"}, nil)
	failedDesc    = prometheus.NewDesc("flink_jobmanager_job_numberOfFailedCheckpoints", "checkpoints not completed", []string{"job_name"}, nil)
	durationDesc  = prometheus.NewDesc("flink_jobmanager_job_lastCheckpointDuration", "ms from barrier to commit", []string{"job_name"}, nil)
	restartsDesc  = prometheus.NewDesc("flink_jobmanager_job_numRestarts", "restarts inside the process", []string{"job_name"}, nil)
)

// Describe sends nothing: the metrics depend on the jobs.
func (w *watcher) Describe(chan<- *prometheus.Desc) {}

// Collect reads the status of all jobs.
func (w *watcher) Collect(ch chan<- prometheus.Metric) {
	w.mu.Lock()
	jobs := append(w.jobs[:0:0], w.jobs...)
	w.mu.Unlock()
	for _, j := range jobs {
		if j.Job != nil {
			collectJob(ch, j.Name, j.Status())
		}
	}
}

func collectJob(ch chan<- prometheus.Metric, name string, st exec.Status) {
	gauge := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
		ch <- prometheus.MustNewConstMetric(d, kind, v, name)
	}
	gauge(completedDesc, prometheus.CounterValue, float64(st.Progress.Completed))
	gauge(failedDesc, prometheus.CounterValue, float64(st.Progress.Aborted))
	gauge(durationDesc, prometheus.GaugeValue, float64(st.Progress.LastDuration.Milliseconds()))
	gauge(restartsDesc, prometheus.CounterValue, float64(max(st.Attempt-1, 0)))
	for _, n := range st.Nodes {
		for i, t := range n.Subtasks {
			labels := []string{name, n.Name, n.UID, strconv.Itoa(i)}
			for _, m := range operatorMetrics {
				ch <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(t), labels...)
			}
			if t.Watermark != types.MinTime {
				ch <- prometheus.MustNewConstMetric(watermarkDesc, prometheus.GaugeValue, float64(t.Watermark), labels...)
			}
		}
	}
}
