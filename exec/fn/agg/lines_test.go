package agg_test

import "strings"

func splitLines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func joinLines(lines []string) string { return strings.Join(lines, "|") }
