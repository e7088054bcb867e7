// Package scalar registers the functions and operators of one row. A file
// holds a function or a tight family; adding one edits no other file.
package scalar
