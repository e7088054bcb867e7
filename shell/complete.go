package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/session"
)

// completer offers what can stand at the cursor.
type completer struct{ s *Shell }

// Do is called by the line editor for TAB: candidates are what is to be
// added, length how much of the word they share.
func (c *completer) Do(line []rune, pos int) ([][]rune, int) {
	before := unfold(string(line[:pos]))
	if strings.TrimSpace(before) == "" {
		return [][]rune{[]rune("  ")}, 0 // indentation, pasted or typed
	}
	word, candidates := c.s.candidates(before, before+unfold(string(line[pos:])))
	var more [][]rune
	for _, cand := range candidates {
		more = append(more, []rune(cand)[len([]rune(word)):])
	}
	return more, len([]rune(word))
}

// candidates are the words that begin with what stands before the cursor;
// whole is the line, for what it says elsewhere.
func (s *Shell) candidates(before, whole string) (word string, list []string) {
	if strings.HasPrefix(strings.TrimSpace(before), `\`) && s.buffer == "" {
		return s.commandWords(strings.TrimSpace(before))
	}
	text := s.buffer + before
	if start := openString(text); start >= 0 {
		word = text[start:]
		return word, starting(word, s.quoted(text[:start-1], s.buffer+whole))
	}
	word = lastWord.FindString(text)
	return s.names(text[:len(text)-len(word)], word)
}

var (
	lastWord  = regexp.MustCompile(`[\pL\pN_.]*$`)
	lastKey   = regexp.MustCompile(`'([^']*)'\s*=\s*$`)
	setting   = regexp.MustCompile(`(?is)^\s*(re)?set\s`)
	connector = regexp.MustCompile(`'connector'\s*=\s*'([^']+)'`)
	namesNext = regexp.MustCompile(`(?i)\b(from|join|into|table|describe|desc|view|explain analyze job)\s+$`)
	source    = regexp.MustCompile(`(?i)\b(?:from|join)\s+([\pL\pN_]+)(?:\s+as)?(?:\s+([\pL\pN_]+))?`)
)

// openString is where the string that is open at the end of text begins; -1
// if none is.
func openString(text string) int {
	open := -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\'' && open < 0:
			open = i + 1
		case text[i] == '\'':
			open = -1
		case open < 0 && strings.HasPrefix(text[i:], "--"):
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				return -1
			}
		}
	}
	return open
}

// quoted are the strings that can stand after text: keys of options and
// settings, or the values of the key before '='.
func (s *Shell) quoted(text, whole string) []string {
	key := ""
	if m := lastKey.FindStringSubmatch(text); m != nil {
		key = m[1]
	}
	last := text[strings.LastIndexByte(text, ';')+1:]
	if setting.MatchString(last) {
		if key == "" {
			return session.Settings()
		}
		return session.SettingValues(key)
	}
	kind := ""
	if m := connector.FindStringSubmatch(whole); m != nil {
		kind = m[1]
	}
	if key == "" {
		return session.OptionKeys(kind)
	}
	return session.OptionValues(kind, key)
}

// names are tables, columns, functions and keywords that begin with word.
func (s *Shell) names(text, word string) (string, []string) {
	tables, columns := s.session.Names()
	if namesNext.MatchString(text) {
		return word, starting(word, tables)
	}
	if table, column, ok := strings.Cut(word, "."); ok {
		if cols := s.session.Columns(alias(text+word, table)); cols != nil {
			columns = cols
		}
		return column, starting(column, columns)
	}
	if word == "" {
		return "", nil
	}
	list := starting(word, append(tables, columns...))
	return word, append(list, spelled(word)...)
}

// spelled are the keywords and functions that begin with word, in its case.
func spelled(word string) []string {
	inCase := strings.ToLower
	if word == strings.ToUpper(word) {
		inCase = strings.ToUpper
	}
	var all []string
	for _, f := range session.Functions() {
		all = append(all, inCase(f)+"(")
	}
	for _, k := range keywords {
		all = append(all, inCase(k))
	}
	return starting(word, all)
}

// alias is the table that a name in the text stands for.
func alias(text, name string) string {
	for _, m := range source.FindAllStringSubmatch(text, -1) {
		if m[2] == name {
			return m[1]
		}
	}
	return name
}

// commandWords completes backslash commands, and the tables and files that
// they take.
func (s *Shell) commandWords(text string) (string, []string) {
	name, arg, ok := strings.Cut(text, " ")
	if !ok {
		var list []string
		for _, c := range commands {
			list = append(list, `\`+c.name)
		}
		return name, starting(name, list)
	}
	switch name {
	case `\d`:
		tables, _ := s.session.Names()
		return arg, starting(arg, tables)
	case `\i`, `\o`:
		files, _ := filepath.Glob(arg + "*")
		for i, f := range files {
			if info, err := os.Stat(f); err == nil && info.IsDir() {
				files[i] += "/"
			}
		}
		return arg, files
	}
	return arg, nil
}

// starting are the candidates that begin with word, sorted, each once.
func starting(word string, candidates []string) []string {
	var list []string
	seen := map[string]bool{}
	for _, c := range candidates {
		if strings.HasPrefix(c, word) && !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	sort.Strings(list)
	return list
}
