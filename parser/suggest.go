package parser

// similar tells whether word may be a misspelling of keyword, both in upper case.
func similar(word, keyword string) bool {
	if len(keyword) == 2 {
		return len(word) == 2 && word[0] == keyword[1] && word[1] == keyword[0]
	}
	if word == keyword || len(word) < 2 || len(keyword) < 3 {
		return false
	}
	limit := 1
	if len(keyword) > 4 {
		limit = 2
	}
	return distance(word, keyword) <= limit
}

// nearest is the candidate that word is most likely a misspelling of, or "".
func nearest(word string, candidates []string) string {
	best, least := "", 3
	for _, k := range candidates {
		if !similar(word, k) {
			continue
		}
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions, changes and swaps of neighbours between a and b
// (optimal string alignment).
func distance(a, b string) int {
	before := make([]int, len(b)+1) // two rows up
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
