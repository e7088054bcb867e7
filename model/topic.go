// The output topic may be deleted and made again: its rows and the commit
// markers, which are offsets of it, vanish, the markers perhaps later. The
// broker does not say so: EndTxn of a transaction that was open is answered
// OK. What tells is the topic's generation (Kafka: the topic id).
package main

func (s *State) topicMade(out emit) {
	if s.made == 0 {
		return
	}
	n := *s
	n.made--
	n.gen++
	for q := range n.lg {
		n.gone[q] |= s.committed(uint8(q))
		n.lg[q] = [maxLog]uint8{}
	}
	for id := range n.t {
		t := &n.t[id]
		if t.st == sOngoing {
			t.hole |= 1 << t.ep
		}
	}
	out(L("the topic is deleted and made again (generation %d); its markers are still there", n.gen), &n)
	for id := range n.t {
		n.t[id].mk, n.t[id].cm = 0, 0
	}
	out(L("the topic is deleted and made again (generation %d); its markers vanish", n.gen), &n)
}

// remade: the transaction's topic is not the present one, as far as the
// engine looks.
func (s *State) remade(c Com) bool { return opt.Gen && c.gen != s.gen }

// goneMarker: the marker of a transaction that was committed, and whose rows
// then went with the topic, is the one to expect when it is resolved as Lost.
func (s *State) goneMarker(i int, id uint8, c Com) {
	if d := &s.d[s.p[i].dir]; s.remade(c) && s.t[id].cm == c.mark() && !opt.MGoneMarker {
		d.exp[id], d.expGen[id] = c.mark(), c.gen
	}
}

// markerVoid: no marker is there, but the expected one went with an earlier
// topic, so that its absence says nothing of the present one.
func (s *State) markerVoid(d *Dir, id uint8) bool {
	return opt.ExpGen && s.t[id].cm == 0 && d.expGen[id] != s.gen
}
