package checkpoint

import "errors"

// Errors that callers branch on (errors.Is). The messages that wrap them name
// the folder and the remedy.
var (
	// ErrNoSpace: too little free disk; nothing was written.
	ErrNoSpace = errors.New("not enough disk space")
	// ErrCorrupt: the directory's content contradicts itself.
	ErrCorrupt = errors.New("state directory is corrupt")
	// ErrOtherJob: the directory belongs to another job.
	ErrOtherJob = errors.New("state directory belongs to another job")
	// ErrNewerFormat: written by a newer version of the program.
	ErrNewerFormat = errors.New("state directory has a newer format")
	// ErrLocked: another process has the directory open.
	ErrLocked = errors.New("state directory is in use")
	// ErrUnusable: after an error of a write, of which nobody knows whether it
	// is durable, nothing can be stored until the directory is opened again.
	ErrUnusable = errors.New("the state directory cannot be used after an error, start the job again")
	// ErrNotFound: no such checkpoint, chunk or directory.
	ErrNotFound = errors.New("not found")
	// ErrRestart, wrapped in Settled.Err: the failure is mended by a restart
	// inside the process.
	ErrRestart = errors.New("restart needed")
)
