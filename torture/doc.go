// Package torture runs whole jobs, Kafka to Kafka or Kafka to files, and does
// to them what EXACTLY_ONCE promises to survive: kills at every step, lost
// requests and answers, restarts, other parallelisms, aborted checkpoints,
// damaged and lost directories. The oracle is exact: every input record has
// an id, the expected output row is a function of it, and what a
// read_committed consumer sees is compared as a multiset.
//
// A World is a broker with the topics of one job and the job's state
// directory. A Process is one start of the job. All that a process does to
// the outside (a request to the broker, a durable write, a call of a sink) is
// a Step, and a Hook says what becomes of it.
//
// The tests are the named faults; torture/run is the random schedule.
package torture
