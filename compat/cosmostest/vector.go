package cosmostest

import "slices"

// vector counts writes by the region that took them. Its index is that of the region in the store; what is beyond its
// end is zero.
type vector []int64

func (v vector) at(i int) int64 {
	if i < len(v) {
		return v[i]
	}
	return 0
}

// with returns a copy in which component i is n.
func (v vector) with(i int, n int64) vector {
	out := make(vector, max(len(v), i+1))
	copy(out, v)
	out[i] = n
	return out
}

// covers reports whether v has seen all that w has.
func (v vector) covers(w vector) bool {
	for i, n := range w {
		if n > v.at(i) {
			return false
		}
	}
	return true
}

// join is what v and w have seen together.
func (v vector) join(w vector) vector {
	out := slices.Clone(v)
	for i, n := range w {
		switch {
		case i == len(out):
			out = append(out, n)
		case n > out[i]:
			out[i] = n
		}
	}
	return out
}

// meet is what both v and w have seen.
func (v vector) meet(w vector) vector {
	out := slices.Clone(v)
	for i, n := range out {
		out[i] = min(n, w.at(i))
	}
	return out
}

// total is the number of writes that v has seen.
func (v vector) total() (sum int64) {
	for _, n := range v {
		sum += n
	}
	return sum
}
