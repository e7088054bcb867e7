// Package shell is the interactive shell.
package shell
