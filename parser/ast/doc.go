// Package ast holds the syntax trees of the dialect: what a job file says,
// before any name in it is resolved. Trees are made by package parser, carry
// the positions of the original text, and print back to SQL with Print.
//
// Statements, queries, table expressions and expressions are sealed sets:
// a switch over one of them ends in a default that panics.
package ast
