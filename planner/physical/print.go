package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
)

// aggTexts are aggregates by the numbers of their columns, for fingerprints.
func aggTexts(aggs []op.AggCall) string {
	var parts []string
	for _, a := range aggs {
		parts = append(parts, fmt.Sprint(a.Name, a.Args, a.Distinct, a.Filter, a.Bound.Result.Text()))
	}
	return strings.Join(parts, ";")
}

func overTexts(calls []op.OverCall) string {
	var parts []string
	for _, c := range calls {
		parts = append(parts, fmt.Sprint(c.Name, c.Args, c.Offset, text(c.Default), c.Distinct))
	}
	return strings.Join(parts, ";")
}

func windowText(w *op.Window) string {
	if w == nil {
		return "-"
	}
	return fmt.Sprint(w.Kind, w.Size, w.Slide, w.Offset, w.Partition, w.Proctime, w.Time, w.LTZ)
}

// aggNames are aggregates as EXPLAIN prints them.
func aggNames(aggs []op.AggCall, in []types.Field) []string {
	var parts []string
	for _, a := range aggs {
		args := strings.Join(names(in, a.Args), ", ")
		if len(a.Args) == 0 {
			args = "*"
		}
		if a.Distinct {
			args = "DISTINCT " + args
		}
		s := fmt.Sprintf("%s(%s)", a.Name, args)
		if a.Filter >= 0 {
			s += " FILTER " + in[a.Filter].Name
		}
		parts = append(parts, s)
	}
	return parts
}

// windowName is a window as EXPLAIN prints it.
func windowName(w *op.Window, in []types.Field) string {
	d := func(ms int64) string { return millisText(ms) }
	var size string
	switch w.Kind {
	case op.Tumble:
		size = "size=[" + d(w.Size) + "]"
	case op.Hop:
		size = "size=[" + d(w.Size) + "], slide=[" + d(w.Slide) + "]"
	case op.Cumulate:
		size = "max_size=[" + d(w.Size) + "], step=[" + d(w.Slide) + "]"
	case op.Session:
		size = "gap=[" + d(w.Size) + "]"
		if len(w.Partition) > 0 {
			size += ", partition keys=[" + strings.Join(names(in, w.Partition), ", ") + "]"
		}
	}
	if w.Offset != 0 {
		size += ", offset=[" + d(w.Offset) + "]"
	}
	t := "proctime"
	if w.Time >= 0 {
		t = in[w.Time].Name
	}
	return fmt.Sprintf("%s(time_col=[%s], %s)", w.Kind, t, size)
}

// millisText is a duration in the greatest unit that divides it.
func millisText(ms int64) string {
	for _, u := range []struct {
		n    int64
		name string
	}{{86_400_000, "d"}, {3_600_000, "h"}, {60_000, "min"}, {1000, "s"}} {
		if ms != 0 && ms%u.n == 0 {
			return fmt.Sprintf("%d %s", ms/u.n, u.name)
		}
	}
	return fmt.Sprintf("%d ms", ms)
}

// orderNames are sort keys as EXPLAIN prints them.
func orderNames(keys []op.SortKey, in []types.Field) string {
	var parts []string
	for _, k := range keys {
		s := in[k.Col].Name
		if k.Desc {
			s += " DESC"
		} else {
			s += " ASC"
		}
		if k.NullsLast != k.Desc {
			if k.NullsLast {
				s += " NULLS LAST"
			} else {
				s += " NULLS FIRST"
			}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}
