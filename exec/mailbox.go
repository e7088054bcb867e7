package exec

import (
	"sync"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// mailbox carries what the driver tells a subtask, to its goroutine. It is
// unbounded, but the driver sends a handful of messages a checkpoint.
type mailbox struct {
	mu   sync.Mutex
	list []message
	wake chan struct{} // capacity 1; also signalled by the gate
}

// message is what the driver tells a subtask.
type message interface{ message() }

// injectMessage asks a source for a barrier.
type injectMessage struct {
	barrier barrier
	drain   bool // Watermark(max) first
}

// abortMessage ends the alignment of a checkpoint.
type abortMessage struct{ id checkpoint.ID }

// completedMessage says that a checkpoint is durable.
type completedMessage struct{ meta *checkpoint.Metadata }

// settledMessage says that the outcomes of a writer's committables are
// durable.
type settledMessage struct {
	writer checkpoint.Subtask
	known  []Committable
}

// finishMessage ends the subtask: the job is over.
type finishMessage struct{}

func (injectMessage) message()    {}
func (abortMessage) message()     {}
func (completedMessage) message() {}
func (settledMessage) message()   {}
func (finishMessage) message()    {}

func (m *mailbox) send(x message) {
	m.mu.Lock()
	m.list = append(m.list, x)
	m.mu.Unlock()
	signal(m.wake)
}

// take empties the mailbox.
func (m *mailbox) take() []message {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.list
	m.list = nil
	return l
}
