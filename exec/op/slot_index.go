package op

// slotIndex numbers the slots of a batch in the order they come.
type slotIndex struct {
	slots []int32
	place []int32 // by slot; valid if slots has the slot there
}

func (x *slotIndex) begin() { x.slots = x.slots[:0] }

// at is the number of a slot, and whether it is a new one.
func (x *slotIndex) at(slot int32) (i int, isNew bool) {
	for int(slot) >= len(x.place) {
		x.place = append(x.place, make([]int32, len(x.place)+1024)...)
	}
	if i = int(x.place[slot]); i < len(x.slots) && x.slots[i] == slot {
		return i, false
	}
	i = len(x.slots)
	x.place[slot] = int32(i)
	x.slots = append(x.slots, slot)
	return i, true
}
