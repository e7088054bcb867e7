// Command conformance runs the SQL cases of this folder and compares what
// they give with the reference system's answers, by the rules of README.md.
//
//	go run ./conformance [--cases DIR] [--data DIR] [--list FILE | --no-list] [--v] [AREA[/NAME] …]
//
// Exit status: 0 if exactly the cases that the list file does not name
// passed, else 5.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

func main() {
	os.Exit(run())
}

func run() int {
	here := "conformance"
	cases := flag.String("cases", filepath.Join(here, "cases"), "folder of the cases")
	data := flag.String("data", filepath.Join(here, "data"), "folder of the inputs")
	list := flag.String("list", filepath.Join(here, "not-yet.txt"), "file that names the cases not expected to pass yet")
	noList := flag.Bool("no-list", false, "ignore the list file")
	verbose := flag.Bool("v", false, "print each case that does not pass, with the reason")
	write := flag.Bool("write-list", false, "write the list file from this run, if it only gets shorter")
	flag.Parse()

	all, err := find(*cases, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	dataDir, err := filepath.Abs(*data)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	results := runAll(all, dataDir)
	report(results, *verbose)
	if *noList {
		return 0
	}
	expected, err := readList(*list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if *write {
		return writeList(*list, expected, results)
	}
	return compareList(results, expected, len(flag.Args()) > 0)
}

// result is the outcome of one case.
type result struct {
	name   string // AREA/NAME
	status status
	reason string
}

type status uint8

const (
	failed status = iota
	passed
	weak        // passed but for the strong changelog rule
	unsupported // refused only because we lack something: does not pass
)

// find lists the cases, or those that the arguments name.
func find(dir string, only []string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.sql"))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.ToSlash(p[len(filepath.Clean(dir))+1:]), ".sql")
		if matches(name, only) {
			found = append(found, strings.TrimSuffix(p, ".sql"))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no case found below %s; run it in the project's folder or give --cases", dir)
	}
	sort.Strings(found)
	return found, nil
}

func matches(name string, only []string) bool {
	for _, o := range only {
		if name == o || strings.HasPrefix(name, o+"/") {
			return true
		}
	}
	return len(only) == 0
}

func caseName(base string) string {
	dir, name := filepath.Split(base)
	return filepath.Base(dir) + "/" + name
}

const workers = 2

func runAll(bases []string, data string) []result {
	results := make([]result, len(bases))
	work := make(chan int)
	var wait sync.WaitGroup
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range work {
				results[i] = runCase(bases[i], data)
			}
		}()
	}
	for i := range bases {
		work <- i
	}
	close(work)
	wait.Wait()
	return results
}
