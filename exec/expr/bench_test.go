package expr_test

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/expr/exprtest"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const benchRows = 4096

var bid = []types.Field{
	{Name: "auction", Type: types.Of(types.BigInt)}, {Name: "bidder", Type: types.Of(types.BigInt)}, {Name: "price", Type: types.Of(types.BigInt)},
	{Name: "channel", Type: types.String()}, {Name: "url", Type: types.String()}, {Name: "ts", Type: types.TimestampOf(3)},
	{Name: "rate", Type: types.Of(types.Double)}, {Name: "dec", Type: types.DecimalOf(10, 2)},
}

func bids() *vec.Batch {
	b := vec.NewBatch()
	for _, f := range bid {
		b.Cols = append(b.Cols, vec.New(f.Type))
	}
	for i := range int64(benchRows) {
		b.Cols[0].I64 = append(b.Cols[0].I64, 1000+i*7919%4000)
		b.Cols[1].I64 = append(b.Cols[1].I64, 1000+i*104729%5000)
		b.Cols[2].I64 = append(b.Cols[2].I64, 100+i*15485863%1000000)
		b.Cols[3].AppendBytes(fmt.Appendf(nil, "channel-%d", i%100))
		b.Cols[4].AppendBytes(fmt.Appendf(nil, "https://www.site.com/a/b/item.htm?query=1&channel_id=%d", i))
		b.Cols[5].I64 = append(b.Cols[5].I64, 1735689600000000+i*1000)
		b.Cols[6].F64 = append(b.Cols[6].F64, float64(i)/3)
		b.Cols[7].I64 = append(b.Cols[7].I64, i*101)
	}
	b.N = benchRows
	return b
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkProject(b *testing.B) {
	for _, text := range []string{
		"price + 1", "price * auction", "price * auction + bidder", "rate * 2e0", "price > 100", "auction = bidder", "channel = 'channel-7'",
		"dec + 1", "dec * dec", "dec / 3", "0.908 * price", "MOD(auction, 123)", "CAST(price AS DOUBLE)", "CAST(price AS STRING)",
		"price > 100 AND auction < 3000", "CASE WHEN price > 500000 THEN auction ELSE bidder END",
		"ts - INTERVAL '4' SECOND", "HOUR(ts)", "DATE_FORMAT(ts, 'yyyy-MM-dd')", "DATE_FORMAT(ts, 'HH:mm')", "UPPER(channel)", "LOWER(channel)",
		"SPLIT_INDEX(url, '/', 3)", "REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2)", "channel LIKE '%7%'", "auction IN (1007, 1020, 2001, 2019, 2087)",
		"channel IN ('apple', 'google', 'facebook', 'baidu')", "COALESCE(channel, 'x')", "channel || 'x'", "CHAR_LENGTH(url)", "SUBSTRING(url, 9, 8)",
	} {
		b.Run(text, func(b *testing.B) {
			x, err := exprtest.Parse(text, bid)
			if err != nil {
				b.Fatal(err)
			}
			p, err := expr.Compile([]expr.Expr{x}, expr.Options{})
			if err != nil {
				b.Fatal(err)
			}
			batch, env := bids(), &fn.Env{}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(env, batch); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, text := range []string{
		"price > 100", "MOD(auction, 123) = 0", "auction = 1007 OR auction = 1020", "channel = 'channel-7'", "price > 500000 AND auction < 3000 AND bidder <> 1001",
		"auction IN (1007, 1020, 2001, 2019, 2087)", "url IS NOT NULL", "price BETWEEN 1000 AND 2000",
	} {
		b.Run(text, func(b *testing.B) {
			x, err := exprtest.Parse(text, bid)
			if err != nil {
				b.Fatal(err)
			}
			f, err := expr.CompileFilter(x)
			if err != nil {
				b.Fatal(err)
			}
			batch, env := bids(), &fn.Env{}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Select(env, batch); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}

// BenchmarkPipeline is a filter of three conjuncts and three projections of
// what it keeps: the figure of PERFORMANCE.
func BenchmarkPipeline(b *testing.B) {
	var xs []expr.Expr
	for _, text := range []string{"price > 500000 AND auction < 3000 AND bidder <> 1001", "price * 2", "auction + bidder", "ts - INTERVAL '4' SECOND"} {
		x, err := exprtest.Parse(text, bid)
		if err != nil {
			b.Fatal(err)
		}
		xs = append(xs, x)
	}
	f, err := expr.CompileFilter(xs[0])
	if err != nil {
		b.Fatal(err)
	}
	p, err := expr.Compile(xs[1:], expr.Options{})
	if err != nil {
		b.Fatal(err)
	}
	batch, env := bids(), &fn.Env{}
	b.ReportAllocs()
	for b.Loop() {
		batch.Sel = nil
		sel, err := f.Select(env, batch)
		if err != nil {
			b.Fatal(err)
		}
		batch.Sel = sel
		if _, err := p.Eval(env, batch); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b)
}
